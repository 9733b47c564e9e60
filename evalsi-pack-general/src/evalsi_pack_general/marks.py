"""Sets of Unicode's combining characters, as classes of regular expressions.

`unicodedata.normalize` sorts a run of combining characters by insertion: 40,000 of each of two
kinds take eight seconds. Texts are therefore brought to Unicode's stream-safe form before.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable
from typing import Final

__all__ = ["mark_class", "stream_safe"]

_PLANES: Final = range(0x300, 0x20000)  # beyond are ideographs, tags and variation selectors
_RUN: Final = 30  # as UAX #15, section 13, has it
_JOINER: Final = "\u034f"  # combining grapheme joiner: invisible, and a border to the sorting


def stream_safe(text: str) -> str:
    """The text with a joiner after every 30 combining characters in a row.

    Source: Unicode Standard Annex 15, Stream-Safe Text Format.
    """
    return text if text.isascii() else _run().sub(rf"\g<0>{_JOINER}", text)


@functools.cache
def mark_class() -> str:
    """The inside of a class `[…]` that holds all marks (categories Mn, Mc, Me)."""
    return _class(lambda letter: unicodedata.category(letter).startswith("M"))


@functools.cache
def _run() -> re.Pattern[str]:
    return re.compile(f"[{_class(_combines)}]{{{_RUN}}}")


def _combines(letter: str) -> bool:
    """Whether a letter's full decomposition begins with a combining character."""
    return unicodedata.combining(unicodedata.normalize("NFKD", letter)[0]) != 0


def _class(holds: Callable[[str], bool]) -> str:
    members = [point for point in _PLANES if not _surrogate(point) and holds(chr(point))]
    ranges: list[list[int]] = []
    for point in members:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


def _surrogate(point: int) -> bool:
    return 0xD800 <= point <= 0xDFFF
