"""`replay`: outputs that were recorded before, looked up by record and trial.

The file is the result of a run, or JSON lines: `{"id": "r1", "trial": 0, "output": "…"}`, where
`output` is the text or `{"text", "finish", "input_tokens", "output_tokens", "seconds"}`.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from evalsi.core.chat import Output, Request, ServerError
from evalsi.core.errors import DataError
from evalsi.core.spec.files import content_digest

__all__ = ["Replay", "ReplayParams"]

_Key: TypeAlias = tuple[str, int]


class ReplayParams(BaseModel):
    """What a target of this kind may say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(min_length=1, description="recorded outputs: a result, .jsonl or .jsonl.gz")


class Recording(ReplayParams):
    """The same, and which outputs the file holds."""

    revision: str = Field(description="SHA-256 of the file, its first 16 digits")


class Replay:
    """Answers from a file, read once when it is made; deterministic.

    Raises:
        DataError: the file cannot be read; the message names the line.
    """

    Params = ReplayParams
    paths: ClassVar[tuple[str, ...]] = ("path",)

    @classmethod
    def settle(cls, params: ReplayParams) -> Recording:
        """The params with the file's digest, so that no run goes on with another recording.

        Raises:
            DataError: the file cannot be read.
        """
        try:
            digest = content_digest(Path(params.path))
        except OSError as error:
            raise DataError(f"{params.path} cannot be read: {error.strerror or error}") from error
        return Recording(path=params.path, revision=digest[:16])

    def __init__(self, params: ReplayParams) -> None:
        self._path = params.path
        self._outputs = dict(_recorded(Path(params.path)))

    async def generate(self, request: Request) -> Output:
        """The recorded output; raises `ServerError` when there is none: it is not an empty one."""
        found = self._outputs.get((request.id, request.sample))
        if found is None:
            what = f"{self._path} has no output of record {request.id!r}, trial {request.sample}"
            raise ServerError(what, cause="missing", retryable=False)
        return found

    async def aclose(self) -> None:
        """Has nothing open."""


def _recorded(path: Path) -> Iterator[tuple[_Key, Output]]:
    seen: set[_Key] = set()
    for place, row in _rows(path):
        key, output = _entry(row, place)
        if output is None:
            continue  # what erred then has no output now either
        if key in seen:
            raise DataError(f"{place} is a second output of record {key[0]!r}, trial {key[1]}")
        seen.add(key)
        yield key, output


def _rows(path: Path) -> Iterator[tuple[str, Any]]:
    text = _text(path)
    whole = _parsed(text, str(path)) if path.suffix == ".json" else None
    if isinstance(whole, Mapping) and isinstance(whole.get("records"), list):
        for number, row in enumerate(whole["records"]):
            yield f"{path}: records[{number}]", row
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", _parsed(line, f"{path}:{number}")


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {error}") from error


def _parsed(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place} is no JSON: {error}") from error


def _entry(row: Any, place: str) -> tuple[_Key, Output | None]:
    if not isinstance(row, Mapping) or row.get("id") is None:
        raise DataError(f"{place} has no `id`")
    trial, given = row.get("trial", 0), row.get("output")
    if type(trial) is not int:
        raise DataError(f"{place} has a `trial` that is no whole number")
    key = (str(row["id"]), trial)
    if isinstance(given, str):
        return key, Output(given)
    if not isinstance(given, Mapping):
        raise DataError(f"{place} has no `output`")
    if not isinstance(given.get("text"), str):
        return key, None
    told = {name: given[name] for name in _FIELDS if given.get(name) is not None}
    for name, value in told.items():
        if not _FIELDS[name](value):
            raise DataError(f"{place} has {value!r} as `output.{name}`")
    return key, Output(given["text"], **told)


_FIELDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "finish": lambda value: isinstance(value, str),
    "input_tokens": lambda value: type(value) is int and value >= 0,
    "output_tokens": lambda value: type(value) is int and value >= 0,
    "seconds": lambda value: type(value) in (int, float) and 0 <= value < math.inf,
}
"""What a recorded output may say beside its text, and what fits there."""
