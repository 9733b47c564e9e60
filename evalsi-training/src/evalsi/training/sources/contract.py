"""What a checkpoint source is: it says which checkpoints are there and whole.

class Mine:
def scan(self):
return [Found(100, "/where/it/lies")]
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Protocol

from evalsi.core.errors import EvalsiError
from evalsi.training.steps import Step

__all__ = ["CheckpointSource", "Found", "SourceError"]


class SourceError(EvalsiError):
    """A source cannot be looked at now; what it held before is not gone by that."""

    kind = "server"


@dataclass(frozen=True, slots=True)
class Found:
    """A checkpoint that is whole.

    Attributes:
        step: its step.
        location: what a serving strategy is given: a folder, or a name.
    """

    step: int
    location: str


class CheckpointSource(Protocol):
    """What a plugin of the kind `source` is."""

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
