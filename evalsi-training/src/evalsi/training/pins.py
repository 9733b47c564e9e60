"""Keeps a checkpoint while it waits to be evaluated, whatever its trainer deletes meanwhile.

A pin is a tree of hard links beside the checkpoint, in `.evalsi-pins/<owner>`, and takes no space;
where the file system has no hard links it is a copy. Each owner, a training run, has pins of its
own: two that look at one directory do not let go of each other's.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

__all__ = ["NOBODY", "keep", "let_go", "original_of", "pin", "pins_of", "replaced", "unpin"]

NOBODY: Final = "-"
"""Whose pins those of no training run are; no training run is called so."""

_FOLDER: Final = ".evalsi-pins"


def pin(checkpoint: Path, owner: str = NOBODY) -> Path:
    """Pins a folder or file, and gives where it lies now; one that is pinned already is left.

    A pin of what bore its name before, as a training leaves it that was killed and then resumed,
    is made anew.

    Args:
        checkpoint: the folder or file.
        owner: the training run that lets go of it; a name that can be a folder's.

    Raises:
        OSError: its files are gone, or nothing can be written beside it.
    """
    place = pins_of(checkpoint.parent, owner) / checkpoint.name
    if place.exists() and _looks(place) != _looks(checkpoint):
        let_go(place)
    keep(checkpoint, place)
    return place


def keep(checkpoint: Path, place: Path) -> None:
    """Keeps a folder or file at a place too, whole or not at all; what is there is left.

    Raises:
        OSError: its files are gone, or nothing can be written there.
    """
    if place.exists():
        return
    half = place.with_name(f"{place.name}.half")
    let_go(half)
    half.parent.mkdir(parents=True, exist_ok=True)
    if checkpoint.is_dir():
        shutil.copytree(checkpoint, half, copy_function=_linked)
    else:
        _linked(str(checkpoint), str(half))
    half.rename(place)


def unpin(place: Path) -> None:
    """Lets go of what `pin` gave; the checkpoint itself is not touched."""
    if place.parent.parent.name != _FOLDER:
        return
    let_go(place)
    try:
        place.parent.rmdir()
        place.parent.parent.rmdir()
    except OSError:  # others are pinned there
        return


def pins_of(folder: Path, owner: str = NOBODY) -> Path:
    """Where an owner's pins of a folder's checkpoints lie."""
    return folder / _FOLDER / owner


def original_of(place: str) -> str:
    """The checkpoint that a pin is of, or the place within it; the same text when it is no pin."""
    parts = Path(place).parts
    if _FOLDER not in parts:
        return place
    at = parts.index(_FOLDER)
    return str(Path(*parts[:at], *parts[at + 2 :]))


def replaced(place: Path, checkpoint: Path) -> bool:
    """Whether a checkpoint has files that its pin has not: it was saved again since.

    One that lacks some is being deleted.
    """
    try:
        return not _looks(checkpoint).items() <= _looks(place).items()
    except OSError:  # it changes while it is looked at
        return True


def _looks(place: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change by file, which links and copies have in common with their source."""
    files = [path for path in (place, *place.rglob("*")) if path.is_file()]
    seen = {str(path.relative_to(place)): path.stat() for path in files}
    return {name: (found.st_size, found.st_mtime_ns) for name, found in seen.items()}


def _linked(source: str, target: str) -> str:
    try:
        # A link to a link would be one that points from another folder.
        os.link(os.path.realpath(source), target)
    except OSError:  # another file system, or one without hard links
        shutil.copy2(source, target)
    return target


def let_go(place: Path) -> None:
    """Removes what `keep` made, or what a kill left of it."""
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)
