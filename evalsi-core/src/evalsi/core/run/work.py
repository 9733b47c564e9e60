"""What a run has to do, wherever it came from: a spec, a file of outputs, or an earlier result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evalsi.core.chat import Connector
from evalsi.core.run.gates import MetricGate
from evalsi.core.run.items import Item
from evalsi.core.spec.bound import Bound

if TYPE_CHECKING:
    from evalsi.core.judge import Judge

__all__ = ["Work"]


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Records, evaluators, and what must hold of the result.

    Attributes:
        name: of the run.
        size: number of records.
        items: reads the records, in order, as often as it is called.
        bounds: the evaluators.
        identity: equal for two starts of the same run.
        head: what the result document says of the run beside its records.
        connect: makes the target's connector; None where every item has its outputs.
        trials: outputs of each record.
        gates: what metrics must reach.
        max_error_rate: above it there is no verdict.
        concurrency: requests in flight.
        deadline_s: seconds that one record may take in one evaluator.
    """

    name: str
    size: int
    items: Callable[[], Iterator[Item]]
    bounds: Sequence[Bound]
    identity: Mapping[str, Any] = field(default_factory=dict)
    head: Mapping[str, Any] = field(default_factory=dict)
    connect: Callable[[], Connector] | None = None
    trials: int = 1
    gates: Sequence[MetricGate] = ()
    max_error_rate: float = 0.05
    concurrency: int = 1
    deadline_s: float | None = None

    @property
    def judge(self) -> Judge | None:
        """Whom the evaluators ask, or None; `judge.usage` tells what that has cost so far."""
        return next((bound.judge for bound in self.bounds if bound.judge is not None), None)
