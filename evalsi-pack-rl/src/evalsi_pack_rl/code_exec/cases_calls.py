"""Calls of a function: a list of arguments, or text with one JSON value a line.

APPS has lists of arguments, and wraps what is returned in a list of one; LiveCodeBench has text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.cases_kinds import CallCase, Case
from evalsi_pack_rl.code_exec.cases_reading import as_text, kind, parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalsi.core.results import JSON

__all__ = ["agreed", "call", "function_name"]

_INTEGER: Final = re.compile(r"-?(?:0|[1-9]\d{0,18})")


def function_name(value: JSON, where: str) -> str | None:
    """The name of the function to call, or None where there is none."""
    if value is None or value == "":
        return None
    name = as_text(value, where, "the name of a function")
    if not name.isidentifier():
        raise DataError(f"{where} is {name[:80]!r}; it must be the name of a function")
    return name


def call(name: str, given: JSON, output: JSON, places: tuple[str, str]) -> CallCase:
    """One call; where the arguments are text, so is the output, and both are JSON."""
    if isinstance(given, str):
        return CallCase(name, _lines(given, places[0]), _line(output, places[1]))
    if isinstance(given, list | tuple):
        one = isinstance(output, list | tuple) and len(output) == 1
        return CallCase(name, [_argument(value) for value in given], output, wrapped=one)
    raise DataError(
        f"{places[0]} is {kind(given)}; it must be a list of arguments, or text with one JSON "
        "value a line"
    )


def agreed(cases: Sequence[Case]) -> list[Case]:
    """The cases, whose outputs are taken for wrapped only where all of them may be."""
    if all(case.wrapped for case in cases if isinstance(case, CallCase)):
        return list(cases)
    return [replace(c, wrapped=False) if isinstance(c, CallCase) else c for c in cases]


def _lines(text: str, where: str) -> list[JSON]:
    """One value a line; or, where a value is written over many lines, the values in a row."""
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        return [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return _in_a_row(text, where)


def _in_a_row(text: str, where: str) -> list[JSON]:
    decoder = json.JSONDecoder()
    values: list[JSON] = []
    at = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    try:
        while at < end:
            value, at = decoder.raw_decode(text, at)
            values.append(value)
            while at < end and text[at].isspace():
                at += 1
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} must have one JSON value a line: {error}") from error
    return values


def _line(output: JSON, where: str) -> JSON:
    if output is None:
        raise DataError(f"{where} is missing; give the value as JSON text, `null` for None")
    return parsed(output, where)


def _argument(value: JSON) -> JSON:
    """A mapping whose every key is an integer gets integers for keys: JSON has none."""
    if isinstance(value, Mapping) and value and all(map(_INTEGER.fullmatch, value)):
        return {int(key): item for key, item in value.items()}  # type: ignore[misc]
    return value
