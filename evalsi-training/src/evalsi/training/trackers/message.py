"""What one evaluated step tells a tracker: numbers under `evalsi/`, on an axis of their own."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evalsi.training.steps import BASE, Step

if TYPE_CHECKING:
    from evalsi.training.judging import StepResult

__all__ = ["AXIS", "NUMBERS", "Message", "message_of"]

AXIS: Final = "evalsi/step"
"""The step's own axis, for trackers whose rows must name it."""

NUMBERS: Final[Mapping[str, int]] = {
    "ok": 0,
    "underpowered": 1,
    "mini": 2,
    "failed": 3,
    "regressed": 4,
    "incomplete": 5,
    "error": 6,
}
"""A step's status as trackers chart it, `evalsi/status`: the worse, the higher."""

_DIGITS: Final = 12  # another machine's last bits are no other result


@dataclass(frozen=True, slots=True)
class Message:
    """One step, as trackers get it.

    Attributes:
        training_run: whose step it is.
        step: which.
        metrics: by name: `evalsi/<metric>`, and behind it `:lo`, `:hi`, `:diff`, `:diff-lo` and
            `:diff-hi` where they are known; finite numbers alone.
        status: what the step came to.
        regression: the gates by which it was judged.
        made: when it first was written, in ISO form; the same however often it is sent.
        revision: how many other contents the place confirmed for this step before; 0: none.
    """

    training_run: str
    step: Step
    metrics: Mapping[str, float]
    status: str
    regression: tuple[str, ...] = ()
    made: str = field(default="", compare=False)
    revision: int = 0

    @property
    def at(self) -> int:
        """The step as a number; the base is at 0."""
        return 0 if self.step == BASE else self.step

    @property
    def digest(self) -> str:
        """What a receipt knows its content by."""
        told = [self.training_run, self.step, sorted(self.metrics.items()), self.status]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32]

    def row(self) -> dict[str, float]:
        """What is charted at `at`; `evalsi/revision` marks a step that was sent before."""
        row = {**self.metrics, "evalsi/status": float(NUMBERS[self.status])}
        return {**row, "evalsi/revision": float(self.revision)} if self.revision else row


def message_of(
    result: StepResult, training_run: str, *, regression: tuple[str, ...] = (), made: str = ""
) -> Message:
    """The message of a step that was measured."""
    metrics = dict(_named(result))
    return Message(training_run, result.step, metrics, result.status, regression, made)


def _named(result: StepResult) -> Iterator[tuple[str, float]]:
    for metric, summary in result.summaries.items():
        yield from _told(metric, summary, {"mean": "", "lo": ":lo", "hi": ":hi"})
    for metric, change in result.comparisons.items():
        seen = change.comparison
        known = {"diff": seen.diff, "lo": seen.lo, "hi": seen.hi}
        yield from _told(metric, known, {"diff": ":diff", "lo": ":diff-lo", "hi": ":diff-hi"})


def _told(
    metric: str, known: Mapping[str, Any], suffixes: Mapping[str, str]
) -> Iterator[tuple[str, float]]:
    """Names are flat behind `evalsi/`: W&B's wildcard need not cross another slash."""
    name = f"evalsi/{metric.replace('/', '.')}"
    for key, suffix in suffixes.items():
        value = known.get(key)
        if value is not None and math.isfinite(value):
            yield name + suffix, float(f"{value:.{_DIGITS}g}")
