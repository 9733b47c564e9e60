"""How similar two sets of numbers are, estimated from small signatures; and which sets are similar.

A signature has one bin for every residue of a number, and keeps the least number of each bin, so
that a number costs one step.

Source: Li, Owen, Zhang 2012, One Permutation Hashing, equation 3; Broder 1997 for the estimate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

__all__ = ["EMPTY", "MinHashIndex", "Signature", "signature", "similarity"]

Signature: TypeAlias = tuple[int, ...]

_BINS: Final = 32
_ROWS: Final = 2  # of a band: sets that share a third are found with 84 %, a half with 99 %
_NONE: Final = -1
_SAME: Final = 8

EMPTY: Final[Signature] = (_NONE,) * _BINS
"""The signature of no numbers."""


def signature(numbers: Iterable[int], begun: Signature = EMPTY) -> Signature:
    """The least number of each bin, those of `begun` among them; -1 where a bin is empty."""
    least = [*begun]
    for number in numbers:
        at = number % _BINS
        if least[at] < 0 or number < least[at]:
            least[at] = number
    return tuple(least)


def similarity(one: Signature, other: Signature) -> float:
    """The estimate of shared numbers over all numbers (Jaccard), in [0, 1]; 0 for empty sets."""
    pairs = [pair for pair in zip(one, other, strict=True) if pair != (_NONE, _NONE)]
    return sum(mine == theirs for mine, theirs in pairs) / len(pairs) if pairs else 0.0


class MinHashIndex:
    """Signatures that can be asked for the one most similar to another."""

    def __init__(self) -> None:
        self._signatures: list[Signature] = []
        self._bands: dict[tuple[int, ...], list[int]] = {}

    def __len__(self) -> int:
        return len(self._signatures)

    def add(self, new: Signature) -> None:
        """Adds a signature; of many with the same band the first eight are found by it."""
        number = len(self._signatures)
        self._signatures.append(new)
        for band in _bands(new):
            same = self._bands.setdefault(band, [])
            if len(same) < _SAME:
                same.append(number)

    def most_similar(self, asked: Signature) -> float:
        """The similarity to the most similar signature that shares a band; 0 without one."""
        near = {number for band in _bands(asked) for number in self._bands.get(band, ())}
        return max((similarity(asked, self._signatures[number]) for number in near), default=0.0)


def _bands(one: Signature) -> Iterable[tuple[int, ...]]:
    """The bands, each with its place; none of empty bins only."""
    for at in range(0, _BINS, _ROWS):
        band = one[at : at + _ROWS]
        if any(number >= 0 for number in band):
            yield (at, *band)
