"""Rows of a file, here or behind a URL: JSON lines, CSV, both also gzipped, and Parquet."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import itertools
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from evalsi.core.errors import DataError
from evalsi.core.run.dataset_source import Numbered

__all__ = ["file_rows", "json_row", "plain"]

_MAX_LINE: Final = 256 * 1024 * 1024
_PARQUET_ROWS: Final = 512


def file_rows(place: str) -> Iterator[Numbered]:
    """The rows of a file, one at a time.

    Args:
        place: a path, or a URL that fsspec opens; its ending says what the file is.

    Raises:
        DataError: it cannot be read, or a row is none; the message names file and line.
    """
    name = place.partition("?")[0]
    reader = _READERS.get(_ending(name))
    if reader is None:
        raise DataError(f"{place} is none of {', '.join(_READERS)}; convert it to one of them")
    with contextlib.ExitStack() as closing:
        try:
            file = closing.enter_context(_opened(place))
            if name.endswith(".gz"):
                file = cast("BinaryIO", closing.enter_context(gzip.open(file)))
            yield from reader(file, place)
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise DataError(f"{place} cannot be read: {reason}") from error


def _ending(name: str) -> str:
    suffixes = Path(name.removesuffix(".gz")).suffixes
    ending = suffixes[-1] if suffixes else ""
    return ending if ending != ".parquet" or not name.endswith(".gz") else ""


def _opened(place: str) -> contextlib.AbstractContextManager[BinaryIO]:
    if "://" not in place:
        return Path(place).open("rb")
    try:
        import fsspec
    except ImportError as error:
        raise DataError(
            f"{place} needs fsspec: pip install 'evalsi-core[remote]', or name a file by `path`"
        ) from error
    try:
        return cast("contextlib.AbstractContextManager[BinaryIO]", fsspec.open(place, "rb"))
    except (ImportError, ValueError) as error:  # a protocol that fsspec, or its library, lacks
        raise DataError(f"{place} cannot be opened: {error}") from error


def _json_lines(file: BinaryIO, place: str) -> Iterator[Numbered]:
    number = 0
    for at in itertools.count(1):
        line = file.readline(_MAX_LINE)
        if not line:
            return
        if line.strip():
            number += 1
            yield number, json_row(line, f"{place}:{at}")


def json_row(line: bytes, where: str) -> dict[str, Any]:
    """The object that a line of JSON lines is; raises `DataError`."""
    try:
        row: Any = json.loads(line.rstrip(b"\r\n"))
    except json.JSONDecodeError as error:
        raise DataError(
            f"{where}:{error.colno} is no JSON: {error.msg}; every line is one JSON object"
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{where} is not UTF-8 (byte {error.start}); encode the file so") from error
    except (RecursionError, ValueError) as error:
        raise DataError(f"{where} cannot be read as JSON: {error}") from error
    if not isinstance(row, dict):
        raise DataError(f"{where} is {type(row).__name__}; every line is one JSON object")
    return row


def _csv(file: BinaryIO, place: str) -> Iterator[Numbered]:
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_LINE))
    with io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        rows = csv.DictReader(text, strict=True)
        try:
            names = rows.fieldnames or ()
            if len(set(names)) < len(names):
                raise DataError(f"{place}:1 has a heading twice; columns have different names")
            for number, row in enumerate(rows, 1):
                if None in row or None in row.values():
                    raise DataError(
                        f"{place}:{rows.line_num} has not as many cells as the heading; "
                        f"quote commas"
                    )
                yield number, row
        except csv.Error as error:
            raise DataError(f"{place}:{rows.line_num} is no CSV: {error}") from error
        except UnicodeDecodeError as error:
            raise DataError(f"{place} is not UTF-8; save it as UTF-8") from error


def _parquet(file: BinaryIO, place: str) -> Iterator[Numbered]:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise DataError(
            f"{place} needs pyarrow: pip install 'evalsi-core[parquet]', or convert it to JSONL"
        ) from error
    number = 0
    try:
        with parquet.ParquetFile(file) as opened:
            for batch in opened.iter_batches(batch_size=_PARQUET_ROWS):
                for row in batch.to_pylist():
                    number += 1
                    yield number, plain(row)
    except ValueError as error:
        raise DataError(f"{place} cannot be read as Parquet: {error}") from error


def plain(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A table's row as plain data: what JSON has no word for becomes its text."""
    plain_row: Mapping[str, Any] = json.loads(json.dumps(row, default=str))
    return plain_row


_READERS: Final[Mapping[str, Callable[[BinaryIO, str], Iterator[Numbered]]]] = {
    ".jsonl": _json_lines,
    ".csv": _csv,
    ".parquet": _parquet,
}
