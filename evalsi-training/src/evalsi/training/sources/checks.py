"""What every checkpoint source promises, each promise by itself.

class Place:
def __init__(self):
self.run = my_store.new_folder()

def source(self):
return Mine(f"mine:{self.run}", settle=0.0)

def put(self, step, files):
my_store.upload(f"{self.run}/checkpoint-{step}", files)

for finding in check_source(SourceTrial(Place, away=Mine("mine:no-such-host/run"))):
print(finding.check, finding.message)
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

from evalsi.core.testing.checks import Check, CheckFailed, Finding, run_checks
from evalsi.training.sources.cache import Cache
from evalsi.training.sources.contract import CheckpointSource, SourceError
from evalsi.training.sources.fetching import fetched
from evalsi.training.sources.whole import is_whole
from evalsi.training.steps import Step

__all__ = ["SourcePlace", "SourceTrial", "check_source", "source_checks"]

_NO_GAPS: Final[Mapping[str, str]] = MappingProxyType({})
_MODEL: Final = {"config.json": b"{}", "model.safetensors": b"weights"}
_ADAPTER: Final = {"adapter_config.json": b"{}", "adapter_model.safetensors": b"weights"}
_STATE: Final = {"config.json": b"{}", "optimizer.pt": b"state"}


class SourcePlace(Protocol):
    """A place of its own where a check publishes checkpoints; nothing is there at first."""

    def source(self) -> CheckpointSource:
        """A new source of the place, which waits for no stillness."""
        ...

    def put(self, step: int, files: Mapping[str, bytes]) -> None:
        """Publishes a checkpoint with these files, as a training run would."""
        ...


@dataclass(frozen=True, slots=True)
class SourceTrial:
    """A source with what it is tried on.

    Attributes:
        place: makes a new place.
        away: a source of a place that cannot be reached.
    """

    place: Callable[[], SourcePlace]
    away: CheckpointSource

    def steps(self, *steps: int, done: Container[Step] = frozenset()) -> list[int]:
        """What is found where these steps were published in this order."""
        place = self.place()
        for step in steps:
            place.put(step, _MODEL)
        return _steps(place, done)


def check_source(trial: SourceTrial, known_gaps: Mapping[str, str] = _NO_GAPS) -> list[Finding]:
    """Tries every promise of a source; an empty list is a pass.

    Args:
        trial: the source and its places.
        known_gaps: reasons by check name for promises that this source does not keep.
    """
    return run_checks(source_checks(), trial, known_gaps)


def source_checks() -> list[Check[SourceTrial]]:
    """Every check, in the order in which they run."""
    return [
        Check("an-empty-place-holds-nothing", _empty),
        Check("a-whole-checkpoint-is-found", _whole),
        Check("an-adapter-is-found", _adapter),
        Check("a-state-of-the-trainer-is-none", _state),
        Check("steps-come-in-the-order-of-their-numbers", _order),
        Check("a-late-older-step-is-found", _late),
        Check("what-is-done-is-left-out", _done),
        Check("a-second-look-finds-the-same", _again),
        Check("a-new-source-finds-the-same", _anew),
        Check("what-is-found-is-there", _there),
        Check("a-place-that-is-away-is-a-source-error", _away),
    ]


def _empty(trial: SourceTrial) -> None:
    _expect(trial.steps(), [], "Nothing was published")


def _whole(trial: SourceTrial) -> None:
    _expect(trial.steps(7), [7], "Step 7 was published whole")


def _adapter(trial: SourceTrial) -> None:
    place = trial.place()
    place.put(7, _ADAPTER)
    _expect(_steps(place), [7], "Step 7 was published as an adapter")


def _state(trial: SourceTrial) -> None:
    place = trial.place()
    place.put(7, _STATE)
    _expect(_steps(place), [], "Step 7 was published without weights")


def _order(trial: SourceTrial) -> None:
    _expect(trial.steps(1000, 20, 3), [3, 20, 1000], "Steps 1000, 20 and 3 were published")


def _late(trial: SourceTrial) -> None:
    place = trial.place()
    source = place.source()
    place.put(20, _MODEL)
    source.scan(frozenset())
    place.put(10, _MODEL)
    _expect(_of(source), [10, 20], "Step 10 was published after a look had found 20")


def _done(trial: SourceTrial) -> None:
    done: frozenset[Step] = frozenset({20, "base"})
    _expect(trial.steps(10, 20, done=done), [10], "Of steps 10 and 20 the latter is done")


def _again(trial: SourceTrial) -> None:
    place = trial.place()
    place.put(7, _MODEL)
    source = place.source()
    source.scan(frozenset())
    _expect(_of(source), [7], "Step 7 was found by the look before")


def _anew(trial: SourceTrial) -> None:
    place = trial.place()
    place.put(7, _MODEL)
    place.source().scan(frozenset())
    _expect(_steps(place), [7], "Step 7 was found by another source of the place")


def _there(trial: SourceTrial) -> None:
    place = trial.place()
    place.put(7, _MODEL)
    (found,) = place.source().scan(frozenset())
    with (
        tempfile.TemporaryDirectory() as folder,
        fetched(found.location, Cache(folder)) as checkpoint,
    ):
        # What is no folder of this machine is a name, which a serving strategy may know.
        if Path(checkpoint).exists() and not is_whole(Path(checkpoint)):
            raise CheckFailed(f"{found.location} was found, and holds no whole model.")


def _away(trial: SourceTrial) -> None:
    try:
        found = trial.away.scan(frozenset())
    except SourceError:
        return
    raise CheckFailed(f"A place that cannot be reached was said to hold {list(found)}.")


def _steps(place: SourcePlace, done: Container[Step] = frozenset()) -> list[int]:
    return _of(place.source(), done)


def _of(source: CheckpointSource, done: Container[Step] = frozenset()) -> list[int]:
    return [found.step for found in source.scan(done)]


def _expect(found: list[int], wanted: list[int], what: str) -> None:
    if found != wanted:
        raise CheckFailed(f"{what}, and the source found {found} instead of {wanted}.")
