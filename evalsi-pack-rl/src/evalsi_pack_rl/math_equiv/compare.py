"""Whether two answers state the same value: as exact numbers, else as normalised text."""

from __future__ import annotations

import re
from typing import Final, Literal

from evalsi_pack_rl.math_equiv.numbers import Quantity, quantity
from evalsi_pack_rl.math_equiv.spelling import cleaned, text_key

__all__ = ["same_value"]

_MOST: Final = 100_000
"""Characters beyond which an answer is compared as it stands."""

_NAMED: Final = re.compile(r"\\?[A-Za-z]\w{0,8} ?= ?([^=]+)")
_SWAPPED: Final = re.compile(r"([^=]*[^= ]) ?= ?(\\?[A-Za-z]\w{0,8})")


def same_value(predicted: str, expected: str) -> Literal["equal-number", "equal-text"] | None:
    """How the two are equal, or None when they are not."""
    if max(len(predicted), len(expected)) > _MOST:
        return "equal-text" if predicted == expected else None
    left, right = _name_first(cleaned(predicted)), _name_first(cleaned(expected))
    if not left or left == right:
        return "equal-text" if left else None
    if ("=" in left) != ("=" in right):  # x = 3 states 3, where only 3 is asked for
        left, right = _unnamed(left), _unnamed(right)
    one, other = quantity(left), quantity(right)
    if one is not None and other is not None:
        return "equal-number" if _same_quantity(one, other) else None
    if one is not None or other is not None:  # `1,250` is not the list `1, 250`
        return None
    return "equal-text" if text_key(left) == text_key(right) else None


def _same_quantity(one: Quantity, other: Quantity) -> bool:
    if one.unit and other.unit and one.unit != other.unit:
        return False
    if one.value == other.value:
        return True
    # A bare number beside a percentage is read as so many percent, too.
    return one.percent != other.percent and one.written == other.written


def _name_first(text: str) -> str:
    swapped = None if _NAMED.fullmatch(text) else _SWAPPED.fullmatch(text)
    return f"{swapped[2]}={swapped[1]}" if swapped else text


def _unnamed(text: str) -> str:
    named = _NAMED.fullmatch(text)
    return named.group(1) if named else text
