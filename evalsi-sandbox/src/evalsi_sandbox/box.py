"""A jail's read-only files, laid out in a folder of the opener's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

__all__ = ["fill"]


def fill(box: Path, files: Mapping[str, bytes]) -> None:
    """Makes the folder and its files, readable by everybody who gets there.

    Raises:
        ValueError: a path that would leave the folder.
    """
    box.mkdir()
    for name, data in files.items():
        inside = PurePosixPath(name)
        if inside.is_absolute() or ".." in inside.parts or not inside.parts:
            raise ValueError(f"{name!r} in JailSpec.files: a path relative to /box is needed")
        path = box / inside
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o444)
    for folder in (box, *(path for path in box.rglob("*") if path.is_dir())):
        folder.chmod(0o755)  # whatever the umask
