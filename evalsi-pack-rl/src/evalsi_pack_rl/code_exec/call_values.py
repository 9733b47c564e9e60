"""Values that cross to a call and back as plain data, and whether two of them are the same.

What comes back was written by the program under test: it is read as data, bounded in size and
depth, and the values are built here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evalsi.core.results import JSON

__all__ = ["received", "same_value", "sendable"]

_DEEPEST: Final = 320  # the guest allows a third of it: a mapping takes three levels
# Reaches to the end where a text does not close: one pass, whatever the program sent.
_TEXTS: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_LONGEST: Final = 400  # digits of a fraction's parts, which are reduced in quadratic time
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


class _Foreign:
    """A value that plain data cannot express; it equals nothing."""


def sendable(value: JSON) -> Any:
    """A value as the guest reads it: a mapping becomes a tagged list of pairs."""
    if isinstance(value, Mapping):
        return {"d": [[sendable(key), sendable(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [sendable(item) for item in value]
    return value


def received(data: bytes) -> Any:
    """The value that the guest's answer stands for.

    Raises:
        ValueError: it is no answer of the guest's form.
    """
    _require_shallow(data)
    try:
        return _value(json.loads(data))
    except (TypeError, KeyError, OverflowError, ZeroDivisionError) as error:
        raise ValueError(f"no answer of the guest's form: {error}") from error


def same_value(got: Any, expected: Any, tolerance: float | None) -> bool:
    """Whether a returned value is the expected one, which is JSON."""
    if isinstance(expected, bool) or expected is None or isinstance(got, bool) or got is None:
        return got is expected
    if isinstance(expected, list | tuple):
        return (
            isinstance(got, list)
            and len(got) == len(expected)
            and all(same_value(a, b, tolerance) for a, b in zip(got, expected, strict=True))
        )
    if isinstance(expected, Mapping):
        return isinstance(got, dict) and _same_mapping(got, expected, tolerance)
    if isinstance(expected, str):
        return isinstance(got, str) and got == expected
    return isinstance(got, int | float | Fraction) and _same_number(got, expected, tolerance)


def _same_mapping(
    got: dict[str, Any], expected: Mapping[Any, Any], tolerance: float | None
) -> bool:
    wanted = {_key(key): item for key, item in expected.items()}
    return got.keys() == wanted.keys() and all(
        same_value(got[key], item, tolerance) for key, item in wanted.items()
    )


def _same_number(
    got: int | float | Fraction, expected: int | float, tolerance: float | None
) -> bool:
    if got == expected:
        return True
    if isinstance(expected, int):
        return False  # never with a tolerance
    if math.isnan(expected):
        return isinstance(got, float) and math.isnan(got)
    if tolerance is None or not math.isfinite(expected):
        return False
    try:
        return abs(float(got) - expected) <= tolerance * max(1.0, abs(expected))
    except OverflowError:
        return False


def _require_shallow(data: bytes) -> None:
    """Refuses deep nesting before a parser that recurses in C sees it."""
    depth = 0
    for bracket in _TEXTS.sub(b"", data).translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > _DEEPEST:
            raise ValueError(f"nested more than {_DEEPEST} deep")


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return [_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((tag, held),) = value.items()
    if tag == "d":
        pairs = [(_key(_value(key)), _value(item)) for key, item in held]
        made = dict(pairs)
        return made if len(made) == len(pairs) else _Foreign()  # 1 and "1" are one key in JSON
    if tag == "i":
        return int(held, 16)
    if tag == "q" and max(map(len, held)) <= _LONGEST:
        return Fraction(int(held[0], 16), int(held[1], 16))
    return _Foreign()


def _key(key: Any) -> Any:
    """A key as JSON writes it; one that JSON cannot write is like no other."""
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool | int | float):
        return json.dumps(key)
    return object()
