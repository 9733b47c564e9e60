"""Rollouts from a file: JSON lines, gzipped, on standard input, or Parquet with an extra."""

from __future__ import annotations

import gzip
import itertools
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from evalsi.core.errors import DataError
from evalsi.core.records import Rollout
from evalsi.core.run.dataset_files import json_row

__all__ = ["count_rows", "read_rollouts"]

_MAX_LINE: Final = 256 * 1024 * 1024
_COUNTED_BYTES: Final = 1 << 30


def read_rollouts(data: str) -> Iterator[Rollout]:
    """Rollouts of a `.jsonl`, `.jsonl.gz` or `.parquet` file, or of "-", one at a time.

    Raises:
        DataError: a line is no JSON object; the message names file, line and column.
    """
    if data.endswith(".parquet"):
        yield from _parquet(data)
        return
    name = "<stdin>" if data == "-" else data
    with _opened(data) as file:
        for number in itertools.count(1):
            try:
                line = file.readline(_MAX_LINE)
            except (OSError, EOFError, zlib.error) as error:
                raise DataError(f"{name}:{number} cannot be read: {error}") from error
            if not line:
                return
            if line.strip():
                place = f"{name}:{number}"
                yield _Row(json_row(line, place), place)


def count_rows(data: str) -> int | None:
    """How many lines a plain file has, for a progress bar; None where counting costs."""
    path = Path(data)
    if not path.is_file() or path.suffix in {".gz", ".parquet"}:
        return None  # a pipe can be read only once
    try:
        if path.stat().st_size > _COUNTED_BYTES:
            return None
        with path.open("rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return None  # the reader will say why


def _opened(data: str) -> BinaryIO:
    if data == "-":
        return cast("BinaryIO", sys.stdin.buffer)
    try:
        if data.endswith(".gz"):
            return cast("BinaryIO", gzip.open(data))
        return Path(data).open("rb")
    except OSError as error:
        raise DataError(
            f"{data} cannot be read: {error.strerror or error}; check --data"
        ) from error


class _Row(dict[str, Any]):
    """A rollout that knows where it was read."""

    def __init__(self, row: dict[str, Any], place: str) -> None:
        super().__init__(row)
        self.place = place


def _parquet(data: str) -> Iterator[Rollout]:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise DataError(
            f"{data} needs pyarrow: pip install 'evalsi-core[parquet]', or convert it to JSONL"
        ) from error
    try:
        with parquet.ParquetFile(data) as file:
            for batch in file.iter_batches(batch_size=512):
                yield from batch.to_pylist()
    except (OSError, ValueError) as error:
        raise DataError(f"{data} cannot be read as Parquet: {error}") from error
