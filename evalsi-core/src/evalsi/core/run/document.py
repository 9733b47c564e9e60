"""The result of a run: one JSON document, written whole or not at all, one trial a line.

Lines make it both: any JSON reader takes it, and ours reads a large one without holding it.
What hangs on the clock stands in `session` and in an output's `seconds`; the rest of it is the
same however often the run was interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from evalsi.core.durable import publishing
from evalsi.core.errors import DataError

__all__ = ["FORMAT", "ResultFile", "write_result"]

FORMAT: Final = "evalsi.run/1"

_ROWS: Final = '"records": [\n'


def write_result(
    path: Path, head: Mapping[str, Any], rows: Iterator[str], tail: Callable[[], Mapping[str, Any]]
) -> None:
    """Writes a document.

    Args:
        path: where; its folder exists.
        head: the fields before the records.
        rows: the records, each as JSON on one line.
        tail: gives the fields behind the records, once these have been written.

    Raises:
        DataError: it cannot be written.
    """
    try:
        with publishing(path) as file:
            file.write("{" + _fields({"format": FORMAT, **head}))
            _write_rows(file, rows)
            file.write(",\n" + _fields(tail()) + "}\n")
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror or error}; check --out"
        ) from error


def _write_rows(file: IO[str], rows: Iterator[str]) -> None:
    before = ",\n" + _ROWS
    for row in rows:
        file.write(before + row)
        before = ",\n"
    file.write("\n]")


def _fields(fields: Mapping[str, Any]) -> str:
    return ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in fields.items())


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A document on disk.

    Attributes:
        path: the file.
        head: the fields before the records.
        tail: the fields behind them.
    """

    path: Path
    head: Mapping[str, Any]
    tail: Mapping[str, Any]

    @classmethod
    def of(cls, path: Path) -> ResultFile:
        """Reads all but the records.

        Raises:
            DataError: it cannot be read, or is no result of a run.
        """
        with _opened(path) as file:
            head = _until(file, path, _ROWS)
            end = next((line for line in file if line.startswith("]")), "]")
            tail = end[1:].lstrip(",\n") + file.read()
        found = _loaded(path, head.rstrip(",\n") + "}")
        if found.get("format") != FORMAT:
            raise _none(path)
        return cls(path, found, _loaded(path, "{" + tail))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The records, one row a trial."""
        with _opened(self.path) as file:
            _until(file, self.path, _ROWS)
            for line in file:
                if line.startswith("]"):
                    return
                yield _loaded(self.path, line.rstrip("\n").removesuffix(","))


def _opened(path: Path) -> IO[str]:
    try:
        return path.open(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def _until(file: IO[str], path: Path, end: str) -> str:
    text: list[str] = []
    for line in file:
        if line == end:
            return "".join(text)
        text.append(line)
    raise _none(path)


def _loaded(path: Path, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _none(path) from error
    if not isinstance(found, dict):
        raise _none(path)
    return found


def _none(path: Path) -> DataError:
    return DataError(
        f"{path} is no result that `evalsi run` wrote, or was laid out anew; one record's trial a "
        f"line is needed"
    )
