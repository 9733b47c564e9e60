"""JSON that loses nothing: floats by their shortest form, no NaN, any text that Python holds.

Half of a surrogate pair, which UTF-8 has no form for, travels in the three bytes that its code
point would have; an escape would join two halves that stand side by side into one character.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final, NoReturn

__all__ = ["NotCarried", "decoded", "encoded"]


class NotCarried(ValueError):  # noqa: N818 - it never leaves the room
    """Data that JSON cannot carry, or text that is no JSON; the message is a clause about it."""


def encoded(value: object) -> bytes:
    """Plain data as JSON; tuples become lists.

    Raises:
        NotCarried: it holds NaN, an infinity, a key that is no text, or what is no plain data.
    """
    try:
        text = _ENCODER.encode(value)
    except NotCarried:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise NotCarried(_clause(error)) from error
    _require_text_keys(value)  # behind the encoder, which finds what holds itself
    return text.encode("utf-8", "surrogatepass")


def decoded(body: bytes) -> Any:
    """What a JSON text says.

    Raises:
        NotCarried: it is none, or holds NaN, a number that no float holds, or a key twice, of
            which readers on the way may take the other value.
    """
    try:
        return _DECODER.decode(body.decode("utf-8", "surrogatepass"))
    except NotCarried:
        raise
    except UnicodeDecodeError as error:
        raise NotCarried(f"is not UTF-8 (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise NotCarried(
            f"is no JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from error
    except (ValueError, RecursionError) as error:
        raise NotCarried(_clause(error)) from error


def _require_text_keys(value: object) -> None:
    # The encoder would make "1" of the key 1, and so another row.
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            for key in one:
                if not isinstance(key, str):
                    raise NotCarried(f"has the key {key!r}; a key is text")
            waiting.extend(one.values())
        elif isinstance(one, list | tuple):
            waiting.extend(item for item in one if not isinstance(item, str))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    # An array is not made a list: what reads one here would be given another thing there.
    raise NotCarried(f"holds {type(value).__name__}; give plain data")


def _clause(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nests too deep"
    if isinstance(error, TypeError):
        return "has a key that is no text"
    text = str(error)
    if "digits" in text:
        return "holds an integer of more than 4300 digits"
    return "holds itself" if "Circular" in text else "holds NaN or an infinity; give null"


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotCarried(f"holds {digits[:40]}, which is more than a float holds")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotCarried("has a key twice in one object")
    return found


def _refused(constant: str) -> NoReturn:
    raise NotCarried(f"holds {constant}, which is no JSON; give null")


_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain
)
_DECODER: Final = json.JSONDecoder(
    parse_float=_finite, parse_constant=_refused, object_pairs_hook=_unique
)
