"""What a checkpoint source is: it says which checkpoints are there and whole.

    class Mine:
        def __init__(self, location):
            self.location = location

        def scan(self, done):
            return [Found(100, "s3://where/it/lies")]

`evalsi.training.testing.check_source` tries whether a source keeps what is promised here.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from evalsi.core.errors import EvalsiError
from evalsi.training.steps import Step

__all__ = ["CheckpointSource", "Found", "Settling", "SourceError"]


class SourceError(EvalsiError):
    """A source cannot be looked at now; what it held before is not gone by that."""

    kind = "server"


@dataclass(frozen=True, slots=True)
class Found:
    """A checkpoint that is whole.

    Attributes:
        step: its step.
        location: where it lies: a folder, a URL, or a name that a serving strategy takes.
    """

    step: int
    location: str


class CheckpointSource(Protocol):
    """What a plugin of the kind `source` makes of a location, and of the options it takes."""

    def scan(self, done: Container[Step]) -> Sequence[Found]:
        """The checkpoints that are whole now, in the order of their steps.

        Called again and again by one thread. One that is being written is left out until it is
        whole; so is a broken one.

        Args:
            done: steps that need no look any more.

        Raises:
            SourceError: the place cannot be looked at.
        """
        ...


@runtime_checkable
class Settling(Protocol):
    """A source whose checkpoints must have been still for a while."""

    @property
    def settle(self) -> float:
        """Seconds without a change."""
        ...

    @property
    def unsettled(self) -> bool:
        """Whether, at the latest look, one that is whole had not been still for long enough."""
        ...
