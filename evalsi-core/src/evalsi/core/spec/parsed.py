"""What a reader makes of a text: plain data, and the place of every key and value in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from evalsi.core.results import JSON
from evalsi.core.spec.issues import Issue, Mark, Path

__all__ = ["MAX_DEPTH", "MAX_VALUES", "BadText", "Parsed", "twice"]

MAX_DEPTH: Final = 100
MAX_VALUES: Final = 100_000
"""Of one document, aliases expanded: a few lines of them can stand for billions of values."""


@dataclass(slots=True)
class Parsed:
    """A document's data, with the marks of its values and keys by path.

    What an alias stands for has no marks of its own; its alias has.
    """

    data: JSON
    values: dict[Path, Mark] = field(default_factory=dict)
    keys: dict[Path, Mark] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)


class BadText(Exception):  # noqa: N818 - it never leaves the room
    """A text that cannot be read on, from `mark`."""

    def __init__(self, mark: Mark, message: str) -> None:
        super().__init__(message)
        self.mark = mark


def twice(path: Path, again: Mark, first: Mark) -> Issue:
    """The issue of a key that a mapping has twice; both places are named."""
    return Issue(
        path,
        f"is given twice: at line {first.line}, column {first.column}, "
        f"and again at line {again.line}, column {again.column}; keep one",
        at_key=True,
    )
