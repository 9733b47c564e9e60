"""A pattern's own alphabet of 256 letters: ASCII as it is, and kinds of other characters.

A pattern tells apart only few kinds of characters. Every character beyond ASCII, lone surrogates
included, becomes one byte that stands for its kind; RE2 then works on bytes with small programs,
where Unicode classes in UTF-8 would make them a hundred times larger.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from codecs import charmap_encode
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalsi_pack_rl.codepoints import Ranges

__all__ = ["Alphabet", "TooManyKindsError"]

_ASCII: Final = 128
_POINTS: Final = 0x110000


class TooManyKindsError(Exception):
    """The pattern tells apart more kinds of characters than there are bytes for."""


class Alphabet:
    """The letters that a pattern with the given classes tells apart."""

    def __init__(self, classes: Iterable[Ranges]) -> None:
        distinct = sorted(classes)
        edges = {_ASCII}
        for ranges in distinct:
            for low, high in ranges:
                edges.update(edge for edge in (low, high + 1) if edge > _ASCII)
        self._starts = sorted(edges)
        kinds: dict[tuple[bool, ...], int] = {}
        self._kinds = [
            kinds.setdefault(tuple(_inside(ranges, start) for ranges in distinct), len(kinds))
            + _ASCII
            for start in self._starts
        ]
        if len(kinds) > 256 - _ASCII:
            raise TooManyKindsError

    def encoded(self, text: str) -> bytes:
        """The text in this alphabet, one byte a character."""
        # A table of bytes: with a dict, ten million different characters took eight seconds.
        return charmap_encode(text, "strict", self._table)[0]

    @functools.cached_property
    def _table(self) -> bytes:
        """The letter of every code point."""
        ends = [*self._starts[1:], _POINTS]
        runs = zip(self._starts, ends, self._kinds, strict=True)
        return bytes(range(_ASCII)) + b"".join(
            bytes([letter]) * (end - start) for start, end, letter in runs
        )

    def letters(self, members: Ranges) -> frozenset[int]:
        """The letters that stand for one of the classes."""
        kinds = zip(self._starts, self._kinds, strict=True)
        return frozenset(
            [point for point in range(_ASCII) if _inside(members, point)]
            + [letter for start, letter in kinds if _inside(members, start)]
        )

    def written(self, members: Ranges) -> str:
        """One of the classes as RE2 writes it, over bytes."""
        letters = self.letters(members)
        if not letters:
            return r"[^\x00-\xff]"
        return "[" + "".join(rf"\x{letter:02x}" for letter in sorted(letters)) + "]"


def _inside(ranges: Ranges, point: int) -> bool:
    index = bisect_right(ranges, (point, 0x110000)) - 1
    return index >= 0 and ranges[index][1] >= point
