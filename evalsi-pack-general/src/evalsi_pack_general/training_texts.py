"""The texts of a file of training data: JSON Lines or plain lines, compressed by gzip or not."""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO, cast

from evalsi.core.errors import DataError
from evalsi.core.results import JSON

__all__ = ["content_digest", "training_texts"]


def training_texts(path: Path, field: str | None) -> Iterator[str]:
    """The text of every row: of its field, or all texts in it, a line each.

    Raises:
        DataError: a row is no JSON, or lacks the field; the message names file and line.
    """
    as_json = ".jsonl" in path.suffixes[-2:]
    with _opened(path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            yield _row(line, field, f"{path.name}:{number}") if as_json else line


def content_digest(path: Path) -> str:
    """A digest of the file's bytes, 12 hexadecimal digits."""
    seen = path.stat()
    return _digest(path, seen.st_size, seen.st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _digest(path: Path, size: int, changed_ns: int) -> str:  # noqa: ARG001 - they key the cache
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()[:12]


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return cast("TextIO", gzip.open(path, "rt", encoding="utf-8", errors="replace"))
    return path.open(encoding="utf-8", errors="replace")


def _row(line: str, field: str | None, where: str) -> str:
    try:
        row: JSON = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is no JSON: {error}") from error
    if field is None:
        return "\n".join(_texts(row))
    if not isinstance(row, Mapping) or field not in row:
        raise DataError(f"{where} has no {field!r}")
    return "\n".join(_texts(row[field]))


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
