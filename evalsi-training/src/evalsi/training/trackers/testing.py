"""The conformance kit of a tracker: what every one promises, each promise by itself.

    trial = TrackerTrial(lambda: Mine(url), held=lambda: my_points(url))
    for finding in check_tracker(trial):
        print(finding.check, finding.message)

With pytest, one test a promise: `parametrize("check", tracker_checks(), ids=lambda c: c.name)`.
The place is one for trials: what they send stays there.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from evalsi.core.testing.checks import Check, CheckFailed, Finding, run_checks
from evalsi.training.trackers.contract import CanBeAsked, Tracker, TrackerError
from evalsi.training.trackers.message import Message

__all__ = ["TrackerTrial", "check_tracker", "tracker_checks"]

_NO_GAPS: Final[Mapping[str, str]] = MappingProxyType({})
_METRIC: Final = "evalsi/trial"


@dataclass(frozen=True, slots=True)
class TrackerTrial:
    """A tracker with what it is tried on.

    Attributes:
        make: a tracker of the place, each time a new one, as after a restart.
        held: the points that the place holds now, of whatever metric: step and value.
        unreachable: a tracker whose place cannot be reached; None: that is not tried.
    """

    make: Callable[[], Tracker]
    held: Callable[[], Iterable[tuple[int, float]]]
    unreachable: Callable[[], Tracker] | None = None
    _steps: itertools.count[int] = field(
        default_factory=lambda: itertools.count(int(time.time()) % 10**6 * 1000)
    )

    def message(self, value: float = 0.5) -> Message:
        """A message of a step that no other one is of."""
        made = datetime.now(UTC).isoformat()
        return Message("trial", next(self._steps), {_METRIC: value}, "ok", made=made)

    def sent(self, *messages: Message) -> list[Message]:
        """What a tracker of its own gives back."""
        tracker = self.make()
        try:
            return list(tracker.publish(messages))
        finally:
            tracker.close()

    def holds(self, message: Message) -> int:
        """How often the place holds a message's value."""
        return sum(
            step == message.at and math.isclose(value, message.metrics[_METRIC], rel_tol=1e-6)
            for step, value in self.held()
        )


def check_tracker(trial: TrackerTrial, known_gaps: Mapping[str, str] = _NO_GAPS) -> list[Finding]:
    """Tries every promise of a tracker; an empty list is a pass.

    Args:
        trial: the tracker and its place.
        known_gaps: reasons by check name for promises that this tracker does not keep.
    """
    return run_checks(tracker_checks(), trial, known_gaps)


def tracker_checks() -> list[Check[TrackerTrial]]:
    """Every check, in the order in which they run."""
    return [
        Check("its-destination-stays", _destination),
        Check("what-is-asked-is-true", _asked),  # early: a place that is new holds nothing yet
        Check("each-message-is-given-back", _given_back),
        Check("what-was-given-back-is-there", _there),
        Check("an-older-step-is-taken", _older),
        Check("a-changed-step-is-taken", _changed),
        Check("nothing-is-sent-of-nothing", _nothing),
        Check("what-is-unreachable-is-a-tracker-error", _unreachable),
        Check("it-can-be-closed-twice", _closed_twice),
    ]


def _destination(trial: TrackerTrial) -> None:
    first, second = trial.make(), trial.make()
    names = first.destination, second.destination
    first.close()
    second.close()
    if not names[0] or names[0] != names[1]:
        raise CheckFailed(f"Two trackers of one place say {names}: all would be sent again.")


def _given_back(trial: TrackerTrial) -> None:
    messages = [trial.message(), trial.message(0.25)]
    steps = sorted(message.at for message in trial.sent(*messages))
    if steps != [message.at for message in messages]:
        raise CheckFailed(f"Of two messages it gave back the steps {steps}.")


def _there(trial: TrackerTrial) -> None:
    message = trial.message(0.75)
    trial.sent(message)
    if trial.holds(message) != 1:
        raise CheckFailed(f"A message it gave back is there {trial.holds(message)} times.")


def _older(trial: TrackerTrial) -> None:
    older, newer = trial.message(0.125), trial.message(0.375)
    trial.sent(newer)
    trial.sent(older)
    if trial.holds(older) != 1 or trial.holds(newer) != 1:
        raise CheckFailed("A step that came behind a later one is not there.")


def _changed(trial: TrackerTrial) -> None:
    message = trial.message(0.5)
    changed = replace(message, metrics={_METRIC: 0.625}, revision=1)
    trial.sent(message)
    trial.sent(changed)
    if trial.holds(changed) != 1:
        raise CheckFailed("The new value of a step that was sent before is not there.")


def _nothing(trial: TrackerTrial) -> None:
    before = len(list(trial.held()))
    if trial.sent() or len(list(trial.held())) != before:
        raise CheckFailed("It sent something, and was given nothing.")


def _asked(trial: TrackerTrial) -> None:
    tracker = trial.make()
    if not isinstance(tracker, CanBeAsked):
        return
    message = trial.message()
    before = tracker.has(message)
    trial.sent(message)
    found = before, tracker.has(message), tracker.has(replace(message, metrics={_METRIC: 0.875}))
    tracker.close()
    if found != (False, True, False):
        raise CheckFailed(f"Before, after, and of another value, `has` says {found}.")


def _unreachable(trial: TrackerTrial) -> None:
    if trial.unreachable is None:
        return
    tracker = trial.unreachable()
    try:
        given = list(tracker.publish([trial.message()]))
    except TrackerError:
        return
    finally:
        tracker.close()
    raise CheckFailed(f"No error came of a place that is not there; it gave back {given}.")


def _closed_twice(trial: TrackerTrial) -> None:
    tracker = trial.make()
    tracker.close()
    tracker.close()
