"""References as they are understood: text of any form, a number, or a flat list of answers.

A text may be a whole solution, which is extracted from, or a printed list. A list that is nested or
malformed is an error of the data, never a silent 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from evalsi.core.errors import DataError
from evalsi.core.results import JSON
from evalsi_pack_rl.math_equiv.extract import extract

__all__ = ["accepted"]

_NO_VALUE: Final = frozenset({"", "nan", "none", "null", "n/a"})
_WRAPPED: Final = re.compile(r"\\(?:text|mathrm)\{([^{}]*)\}", re.ASCII)
_SAYS_WHERE: Final = re.compile(r"box|####|<|answer", re.IGNORECASE)
_PLAIN: Final = re.compile(r"-?[0-9][0-9.,]{0,30}").fullmatch
_MOST_BITS: Final = 14_000
"""Of an integer that Python turns into text: 4,300 digits."""

_PRINTED: Final = re.compile(r"\s*[\[(]\s*\[*\s*['\"]")
_QUOTED: Final = re.compile(r"'((?:[^'\\]|\\.)*+)'|\"((?:[^\"\\]|\\.)*+)\"", re.DOTALL)
_BARE: Final = re.compile(r"[-+]?\d[\d.eE+-]*+")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "/": "/"}


def accepted(reference: JSON) -> tuple[str, ...]:
    """The answers that a reference accepts, as text; none when it states no value.

    Raises:
        DataError: a reference of another kind, a nested or malformed list, an answer in it that is
            cut off.
    """
    if isinstance(reference, str) and _PLAIN(reference):
        return (reference,)
    if isinstance(reference, list | tuple):
        return _each(list(reference), reference)
    if isinstance(reference, str) and _PRINTED.match(reference):
        return _each(_printed(reference), reference)
    return _each([reference], reference)


def _each(items: list[JSON], reference: JSON) -> tuple[str, ...]:
    found = []
    for item in items:
        if isinstance(item, list | tuple | Mapping) and reference is not item:
            raise DataError(f"`reference` {_shown(reference)} is nested; give a flat list")
        text = _text(item)
        stated = _stated(text)
        if stated is not None and stated not in found:
            found.append(stated)
    return tuple(found)


def _text(item: JSON) -> str:
    if isinstance(item, str):
        return item
    if item is None:
        return ""
    if isinstance(item, float):
        return repr(item) if math.isfinite(item) else ""
    if isinstance(item, int) and not isinstance(item, bool):
        if item.bit_length() > _MOST_BITS:
            raise DataError("`reference` is an integer of over 4,000 digits; give it as text")
        return str(item)
    kind = type(item).__name__
    raise DataError(f"`reference` is {kind}; math-equiv needs text, a number or a flat list")


def _stated(text: str) -> str | None:
    """What a reference states: what it ends with as a solution, or all of it."""
    if not _SAYS_WHERE.search(text):
        return _valued(text)
    found = extract(text, last_number=False)
    if found.reason in {"unclosed-box", "empty-box", "unclosed-think"}:
        raise DataError(f"`reference` {_shown(text)} states no answer ({found.reason})")
    return _valued(text if found.answer is None else found.answer)


def _valued(text: str) -> str | None:
    stated = text.strip()
    if stated[:1].isdigit():
        return stated
    words = _WRAPPED.sub(r"\1", stated).strip(" $").casefold()
    return None if words in _NO_VALUE else stated


def _printed(text: str) -> list[JSON]:
    """The items of a list as Python or JSON prints it."""
    inside = text.strip()
    if inside[0] + inside[-1] not in {"[]", "()"}:
        raise DataError(f"`reference` {_shown(text)} is no complete list")
    items: list[JSON] = []
    at, end = 1, len(inside) - 1
    while True:
        at = _behind_space(inside, at, end)
        if at >= end:
            return items
        item, at = _item(inside, at, text)
        items.append(item)
        at = _behind_space(inside, at, end)
        if at < end and inside[at] != ",":
            raise DataError(f"`reference` {_shown(text)} is no well-formed list")
        at += 1


def _item(text: str, at: int, whole: str) -> tuple[JSON, int]:
    if text[at] in "[({":
        raise DataError(f"`reference` {_shown(whole)} is nested; give a flat list")
    quoted = _QUOTED.match(text, at)
    if quoted:
        inner = quoted[1] if quoted[1] is not None else quoted[2]
        return _ESCAPED.sub(lambda mark: _ESCAPES.get(mark[1], mark[0]), inner), quoted.end()
    bare = _BARE.match(text, at)
    if bare:
        return bare.group(), bare.end()
    raise DataError(f"`reference` {_shown(whole)} is no well-formed list")


def _behind_space(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _shown(reference: JSON) -> str:
    try:
        text = repr(reference)
    except ValueError:  # an integer with more digits than Python turns into text
        return f"(a {type(reference).__name__})"
    return text if len(text) <= 80 else f"{text[:77]}..."
