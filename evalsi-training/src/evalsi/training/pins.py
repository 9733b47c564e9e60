"""Keeps a checkpoint while it waits to be evaluated, whatever its trainer deletes meanwhile.

A pin is a tree of hard links beside the checkpoint, in `.evalsi-pins`, and takes no space; where
the file system has no hard links it is a copy.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

__all__ = ["original_of", "pin", "pins_of", "unpin"]

_FOLDER: Final = ".evalsi-pins"


def pin(checkpoint: Path) -> Path:
    """Pins a folder or file, and gives where it lies now; one that is pinned already is left.

    Raises:
        OSError: its files are gone, or nothing can be written beside it.
    """
    place = checkpoint.parent / _FOLDER / checkpoint.name
    if place.exists():
        return place
    half = place.with_name(f"{place.name}.half")
    _remove(half)
    half.parent.mkdir(exist_ok=True)
    if checkpoint.is_dir():
        shutil.copytree(checkpoint, half, copy_function=_linked)
    else:
        _linked(str(checkpoint), str(half))
    half.rename(place)
    return place


def unpin(place: Path) -> None:
    """Lets go of what `pin` gave; the checkpoint itself is not touched."""
    if place.parent.name != _FOLDER:
        return
    _remove(place)
    try:
        place.parent.rmdir()
    except OSError:  # others are pinned there
        return


def pins_of(folder: Path) -> Path:
    """Where the pins of a folder's checkpoints lie."""
    return folder / _FOLDER


def original_of(place: str) -> str:
    """The checkpoint that a pin is of, or the same text when it is no pin."""
    path = Path(place)
    return str(path.parent.parent / path.name) if path.parent.name == _FOLDER else place


def _linked(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without hard links
        shutil.copy2(source, target)
    return target


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)
