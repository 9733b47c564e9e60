"""When training should stop: regressions in a row, or a metric that improves no more.

Both are counted over all results in the order of their steps, so that an older step that arrives
late has its own place in the count. What was not measured whole counts neither way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evalsi.training.gates import metric_and_number
from evalsi.training.judging import Change, StepResult
from evalsi.training.steps import BASE, Step

__all__ = ["Monitor", "Patience", "regressed_in_a_row", "stall_of", "stop_reason"]

_ROUNDING: Final = 1e-12  # a gain of 0.1 in floats may be a hair more than the 0.1 that is asked


@dataclass(frozen=True, slots=True)
class Monitor:
    """The metric by which a training run is steered.

    Attributes:
        metric: as results name it; `math-equiv@mini` is its value on the mini panel.
        min_delta: what an improvement must exceed, in the metric's own unit; 0 or more.
    """

    metric: str
    min_delta: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Monitor:
        """The monitor that `metric[:min_delta]` names.

        Raises:
            SpecError: there is no metric, or no finite number from 0 behind the last colon.
        """
        return cls(*metric_and_number(text, "cannot be monitored", "min_delta"))


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a metric may go without improving.

    Attributes:
        monitor: the metric, and what counts as better.
        steps: measured checkpoints in a row, at least 1.
    """

    monitor: Monitor
    steps: int


def stop_reason(
    results: Sequence[StepResult],
    confirm: int,
    patience: Patience | None,
    *,
    regression: bool = True,
) -> str:
    """Why training should stop, in a sentence; empty while it should go on.

    Args:
        results: in the order of their steps.
        confirm: regressions in a row that make a verdict.
        patience: how long a metric may go without improving; None: for ever.
        regression: whether a regression is a reason.
    """
    if regression and regressed_in_a_row(results, confirm):
        latest = next(result for result in reversed(results) if result.regressed)
        return f"step {latest.step} regressed: {'; '.join(latest.reasons)}"
    return "" if patience is None else stall_of(results, patience)


def regressed_in_a_row(results: Sequence[StepResult], confirm: int) -> bool:
    """Whether the last `confirm` steps that say something of one metric all regressed in it.

    Args:
        results: in the order of their steps.
        confirm: how many, at least 1.
    """
    names = {
        name for result in results for name, one in result.comparisons.items() if one.regressed
    }
    return any(_all_fell(results, name, confirm) for name in names)


def _all_fell(results: Sequence[StepResult], metric: str, confirm: int) -> bool:
    looks = [change for result in results if (change := _judged(result, metric)) is not None]
    return len(looks) >= confirm and all(change.regressed for change in looks[-confirm:])


def _judged(result: StepResult, metric: str) -> Change | None:
    """A step's change in a metric, if it was measured whole enough to say something."""
    change = result.comparisons.get(metric)
    unsure = result.step == BASE or result.error or change is None or change.incomplete
    return None if unsure else change


def stall_of(results: Sequence[StepResult], patience: Patience) -> str:
    """How the metric came to a standstill, as a sentence; empty while it has not.

    The best is that of the checkpoints; the base is none of them.

    Args:
        results: in the order of their steps.
        patience: the metric, and how long is too long.
    """
    metric, least = patience.monitor.metric, patience.monitor.min_delta
    best: tuple[Step, float] | None = None
    since = 0
    for result in results:
        value = _value(result, metric)
        if value is None:
            continue
        sign = -1 if result.summaries[metric]["direction"] == "lower" else 1
        if best is None or sign * (value - best[1]) > least + _ROUNDING:
            best, since = (result.step, value), 0
        else:
            since += 1
    if best is None or since < patience.steps:
        return ""
    by = f" by more than {least:g}" if least else ""
    return (
        f"{metric} has not improved{by} on {best[1]:.4g}, which step {best[0]} had, for {since} "
        f"checkpoints"
    )


def _value(result: StepResult, metric: str) -> float | None:
    summary, change = result.summaries.get(metric), result.comparisons.get(metric)
    unsure = result.step == BASE or result.error or result.status in ("error", "incomplete")
    if unsure or summary is None or (change is not None and change.incomplete):
        return None
    mean: float | None = summary["mean"]
    return mean
