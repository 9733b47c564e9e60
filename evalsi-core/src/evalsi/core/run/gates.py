"""Gates on a run's metrics: what a mean, or an end of its interval, must reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from evalsi.core.run.summary import MetricSummary

__all__ = ["GateResult", "MetricGate", "On", "judge_gate"]

On: TypeAlias = Literal["mean", "lo", "hi"]

_ROUNDING: Final = 1e-12  # a mean of 0.7 in floats may be a hair less than the 0.7 of a spec


@dataclass(frozen=True, slots=True)
class MetricGate:
    """What must hold of one metric.

    Attributes:
        metric: its name: `math-equiv`, `math-equiv.pass@8`, `refusal[harmful]`.
        min: the least value that passes; None: any.
        max: the greatest value that passes; None: any.
        on: the number that is held to it: the mean, or an end of its interval.
    """

    metric: str
    min: float | None = None
    max: float | None = None
    on: On = "mean"


@dataclass(frozen=True, slots=True)
class GateResult:
    """Whether a gate held.

    Attributes:
        metric: as the gate says.
        on: as the gate says.
        min: as the gate says.
        max: as the gate says.
        value: the number that was held to it; None when nothing was measured.
        passed: false as well when there is no number: what was not measured proves nothing.
        reason: why it did not hold; "" when it did.
    """

    metric: str
    on: On
    min: float | None
    max: float | None
    value: float | None
    passed: bool
    reason: str


def judge_gate(gate: MetricGate, metrics: Mapping[str, MetricSummary]) -> GateResult:
    """Holds a gate to a run's metrics."""
    summary = metrics.get(gate.metric)
    value = None if summary is None else _number(summary, gate.on)
    reason = _absent(gate, summary) if value is None else _wrong(gate, value)
    return GateResult(gate.metric, gate.on, gate.min, gate.max, value, not reason, reason)


def _number(summary: MetricSummary, on: On) -> float | None:
    return {"mean": summary.mean, "lo": summary.lo, "hi": summary.hi}[on]


def _absent(gate: MetricGate, summary: MetricSummary | None) -> str:
    if summary is None:
        return f"no record reports {gate.metric}"
    if summary.n == 0:
        counts = f"{summary.skipped} skipped, {summary.errors} errors"
        return f"{gate.metric} was measured on no record ({counts})"
    return f"{gate.metric} has no interval (n = {summary.n})"


def _wrong(gate: MetricGate, value: float) -> str:
    what = gate.metric if gate.on == "mean" else f"{gate.on} of {gate.metric}"
    if gate.min is not None and value < gate.min - _ROUNDING:
        return f"{what} is {value:.4g}, under {gate.min:g}"
    if gate.max is not None and value > gate.max + _ROUNDING:
        return f"{what} is {value:.4g}, over {gate.max:g}"
    return ""
