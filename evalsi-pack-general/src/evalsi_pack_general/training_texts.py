"""The texts of a file of training data: rows of JSON Lines, CSV or Parquet, or plain lines.

A file is read as it is asked for: one row of at most 256 MiB, one plain line of at most 64 MiB, or
512 rows of a Parquet file are held at a time, and never more of what a .gz unpacks to.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final, cast

from evalsi.core.errors import DataError
from evalsi.core.results import JSON
from evalsi.core.run.dataset_files import file_rows

__all__ = ["training_texts"]

_ROWS: Final = (".jsonl", ".csv", ".parquet")
_LONGEST: Final = 64 * 1024 * 1024


def training_texts(path: Path, field: str | None) -> Iterator[str]:
    """The text of every row: of its field, or all texts in it, a line each.

    Raises:
        DataError: the file cannot be read, a row is none, or lacks the field; the message names
            file and row.
    """
    if Path(path.name.removesuffix(".gz")).suffix not in _ROWS:
        yield from _lines(path)
        return
    for number, row in file_rows(str(path)):
        if field is not None and field not in row:
            raise DataError(f"{path}, row {number} has no {field!r}; it has {', '.join(row)}")
        yield "\n".join(_texts(row if field is None else row[field]))


def _lines(path: Path) -> Iterator[str]:
    try:
        with _opened(path) as file:
            while line := file.readline(_LONGEST + 1):
                if len(line) > _LONGEST:
                    raise DataError(f"{path} has a line of more than 64 MiB; break it into texts")
                if line.strip():
                    yield line.decode("utf-8", "replace")
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise DataError(f"{path} cannot be read: {reason}") from error


def _opened(path: Path) -> BinaryIO:
    return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
