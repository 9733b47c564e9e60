"""Sets of code points, as Python's `re` sees them: categories, complements, variants of case.

A set is sorted, disjoint, inclusive ranges. Tests compare each with `re` over all code points.
"""

from __future__ import annotations

import functools
import re
from array import array
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "EVERYTHING",
    "NEWLINE",
    "Ranges",
    "case_variants",
    "category",
    "complement",
    "merged",
]

Ranges: TypeAlias = tuple[tuple[int, int], ...]

_LAST: Final = 0x10FFFF

EVERYTHING: Final[Ranges] = ((0, _LAST),)
NEWLINE: Final[Ranges] = ((10, 10),)

# Dotted capital I, dotless i, long s and the kelvin sign: the letters outside ASCII that `re`
# takes for one of its letters when it ignores case.
_ASCII_KIN: Final = "\u0130\u0131\u017f\u212a"


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The union of ranges."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


def complement(ranges: Ranges) -> Ranges:
    """Every code point that is not in the ranges."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in merged(ranges):
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    return (*gaps, (start, _LAST)) if start <= _LAST else tuple(gaps)


def category(name: str, *, ascii_only: bool) -> Ranges:
    r"""The members of \d, \s, \w or their complements, by the parser's name for them."""
    kind = name.removeprefix("CATEGORY_")
    members = _category(kind.removeprefix("NOT_"), re.ASCII if ascii_only else re.NOFLAG)
    return complement(members) if kind.startswith("NOT_") else members


@functools.cache
def _category(kind: str, flags: re.RegexFlag) -> Ranges:
    letter = {"DIGIT": r"\d+", "SPACE": r"\s+", "WORD": r"\w+"}[kind]
    points = array("I", range(_LAST + 1)).tobytes()
    text = points.decode("utf-32", "surrogatepass")
    return tuple((m.start(), m.end() - 1) for m in re.compile(letter, flags).finditer(text))


def case_variants(low: int, high: int, *, ascii_only: bool) -> Ranges | None:
    """What a range stands for when case is ignored; None where that is not known for sure."""
    if high > 127:
        if low == high and chr(low).lower() == chr(low) == chr(low).upper():
            return ((low, high),)
        return None
    flags = re.IGNORECASE | (re.ASCII if ascii_only else re.NOFLAG)
    members: set[int] = set()
    for point in range(low, high + 1):
        members.update(map(ord, _variants(chr(point), flags)))
    return merged((point, point) for point in members)


@functools.cache
def _variants(letter: str, flags: re.RegexFlag) -> str:
    pattern = re.compile(re.escape(letter), flags)
    candidates = {letter, letter.lower(), letter.upper(), *_ASCII_KIN}
    return "".join(one for one in candidates if pattern.fullmatch(one))
