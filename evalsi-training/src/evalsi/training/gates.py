"""Regression gates: how far a metric may fall below the base model's."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalsi.core.errors import SpecError

__all__ = ["RegressionGate"]


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
        metric, colon, drop = text.rpartition(":")
        if not colon:
            metric, drop = text, "0"
        try:
            number = float(drop)
        except ValueError:
            number = math.nan
        if not metric.strip() or not 0 <= number < math.inf:
            raise SpecError(
                f'"{text}" is no regression gate; give metric or metric:max_drop, such as '
                f"math-equiv:0.02, with a drop of 0 or more"
            )
        return cls(metric.strip(), number)

    def __str__(self) -> str:
        return f"{self.metric}:{self.max_drop:g}"
