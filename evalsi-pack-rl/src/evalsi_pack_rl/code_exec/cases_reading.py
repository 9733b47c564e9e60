"""How fields are read: JSON text or plain data, and errors that name the place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evalsi.core.errors import DataError

if TYPE_CHECKING:
    from evalsi.core.results import JSON

__all__ = ["as_bytes", "as_list", "as_mapping", "as_text", "kind", "parsed"]


def parsed(value: JSON, where: str) -> JSON:
    """The value, read as JSON where it is text."""
    if not isinstance(value, str):
        return value
    try:
        read: JSON = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is text that is not JSON: {error}") from error
    return read


def as_list(value: JSON, where: str) -> Sequence[JSON]:
    """The value, which must be a list."""
    if isinstance(value, list | tuple):
        return value
    raise DataError(f"{where} is {kind(value)}; it must be a list")


def as_mapping(value: JSON, where: str, of: str) -> Mapping[str, JSON]:
    """The value, which must be a mapping."""
    if isinstance(value, Mapping):
        return value
    raise DataError(f"{where} is {kind(value)}; it must be a mapping of {of}")


def as_text(value: JSON, where: str, of: str) -> str:
    """The value, which must be text."""
    if isinstance(value, str):
        return value
    raise DataError(f"{where} is {kind(value)}; it must be {of}")


def as_bytes(value: JSON, where: str) -> bytes:
    """Text as bytes; a list stands for its lines, a number for its digits."""
    if isinstance(value, list | tuple):
        return b"\n".join(_scalar(line, f"{where}[{i}]") for i, line in enumerate(value))
    return _scalar(value, where)


def kind(value: JSON) -> str:
    """What a value is, in a word for an error."""
    return "missing" if value is None else type(value).__name__


def _scalar(value: JSON, where: str) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, int | float):
        return str(value).encode()
    raise DataError(f"{where} is {kind(value)}; it must be text or a number")
