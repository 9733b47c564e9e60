"""What a comparison of so many records can see, told before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evalsi.core.stats import records_needed, sd_of_change, smallest_change
from evalsi.training.gates import RegressionGate

__all__ = ["CORRELATIONS", "Plan", "plans_of"]

CORRELATIONS: Final = (0.9, 0.5)
"""How alike a checkpoint and its base usually answer: nearly unchanged, and much trained."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What one gate asks of a panel, at one correlation between base and checkpoint.

    Attributes:
        gate: the gate.
        n: records of the panel.
        correlation: of the two sides' passes and failures.
        smallest: the drop that is found in four of five comparisons.
        needed: records that find the gate's own drop as often; None for a drop of 0.
    """

    gate: RegressionGate
    n: int
    correlation: float
    smallest: float
    needed: int | None

    @property
    def underpowered(self) -> bool:
        """Whether the gate asks for more than the panel can see."""
        return 0 < self.gate.max_drop < self.smallest


def plans_of(gates: Sequence[RegressionGate], n: int, share: float) -> list[Plan]:
    """A plan for each gate and each of `CORRELATIONS`.

    Args:
        gates: what is to be seen.
        n: records of the panel, at least 1.
        share: of the records that pass, in [0, 1].

    Raises:
        ValueError: `share` is not in [0, 1].
    """
    found = []
    for gate in gates:
        for correlation in CORRELATIONS:
            sd = sd_of_change(share, correlation)
            needed = records_needed(sd, gate.max_drop) if gate.max_drop > 0 else None
            found.append(Plan(gate, n, correlation, smallest_change(sd, n), needed))
    return found
