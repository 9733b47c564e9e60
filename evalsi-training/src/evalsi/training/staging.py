"""Replaces many files of a folder together: all of them, or none, whenever the process is killed.

The new ones are written aside. A marker, which appears at once, says that they are complete; from
then on whoever comes next moves them to their places. One process at a time.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evalsi.core.durable import publish

__all__ = ["is_staged", "replacing", "settle"]

_FOLDER: Final = ".new"
_WHOLE: Final = "whole"


def is_staged(folder: Path) -> bool:
    """Whether new files of a folder are complete, and wait to be moved."""
    return (folder / _FOLDER / _WHOLE).exists()


@contextlib.contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A place for new files, with the paths that they will have in the folder.

    They are the folder's when the block ends well, and gone when it does not.
    """
    settle(folder)
    place = _place(folder)
    place.mkdir(parents=True)
    try:
        yield place
        publish(folder / _FOLDER / _WHOLE, "")
    finally:
        settle(folder)


def settle(folder: Path) -> None:
    """Ends what a kill left: moves files that are complete, removes others."""
    if is_staged(folder):
        place = _place(folder)
        for path in [path for path in place.rglob("*") if path.is_file()]:
            target = folder / path.relative_to(place)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
        (folder / _FOLDER / _WHOLE).unlink()  # first: what is left without it is removed
    if (folder / _FOLDER).exists():
        shutil.rmtree(folder / _FOLDER)


def _place(folder: Path) -> Path:
    return folder / _FOLDER / folder.name
