"""Regression gates: how far a metric may fall below the base model's."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalsi.core.errors import SpecError

__all__ = ["RegressionGate", "metric_and_number"]


@dataclass(frozen=True, slots=True)
class RegressionGate:
    """Fails a step whose metric is significantly worse than the base's, by more than `max_drop`.

    Attributes:
        metric: as results name it: `math-equiv`, `math-equiv.pass@8`, `refusal[harmful]`.
        max_drop: the worsening that is tolerated, in the metric's own unit; 0 or more.
    """

    metric: str
    max_drop: float = 0.0

    @classmethod
    def parse(cls, text: str) -> RegressionGate:
        """The gate that `metric[:max_drop]` names.

        Raises:
            SpecError: there is no metric, or no finite number from 0 behind the last colon.
        """
        return cls(*metric_and_number(text, "is no regression gate", "max_drop"))

    def __str__(self) -> str:
        return f"{self.metric}:{self.max_drop:g}"


def metric_and_number(text: str, refusal: str, number_name: str) -> tuple[str, float]:
    """The parts of `metric[:number]`, 0 where there is no number.

    Args:
        text: the metric's name may hold colons of its own.
        refusal: what a text of another form is told.
        number_name: what the number is called.

    Raises:
        SpecError: there is no metric, or no finite number from 0 behind the last colon.
    """
    metric, colon, behind = text.rpartition(":")
    if not colon:
        metric, behind = text, "0"
    try:
        number = float(behind)
    except ValueError:
        number = math.nan
    if not metric.strip() or not 0 <= number < math.inf:
        raise SpecError(
            f'"{text}" {refusal}; give metric or metric:{number_name}, such as math-equiv:0.02, '
            f"with a number of 0 or more"
        )
    return metric.strip(), number
