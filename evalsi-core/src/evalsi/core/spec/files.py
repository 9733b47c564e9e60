"""Params that are files: where a spec's relative ones lie, and what stands for their content."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from evalsi.core.results import JSON

__all__ = ["content_digest", "resolved"]


def resolved(given: Mapping[str, JSON], names: Iterable[str], folder: Path) -> dict[str, JSON]:
    """The params, with those that are files joined to the folder where relative ones start."""
    paths = frozenset(names)
    return {
        name: str(folder / value) if name in paths and isinstance(value, str) else value
        for name, value in given.items()
    }


def content_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, read once for as long as the file stays what it is.

    Raises:
        OSError: it is no file, or cannot be read.
    """
    seen = path.stat()
    if not path.is_file():  # a pipe or a device would be read for ever
        raise OSError("it is no file")
    return _digest(
        path, (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
    )


@functools.lru_cache(maxsize=64)
def _digest(path: Path, seen: tuple[int, ...]) -> str:  # noqa: ARG001 - it keys the cache
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
