"""A set of 61-bit numbers in some ten bytes each; Python's own takes seven times as many."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

__all__ = ["HashSet"]

_BUCKETS: Final = 1 << 16
_SLACK: Final = 64


class HashSet:
    """Numbers in buckets that are searched from their start; duplicates go when a bucket fills."""

    def __init__(self) -> None:
        self._buckets = [array("Q") for _ in range(_BUCKETS)]
        self._full = [_SLACK] * _BUCKETS

    def __contains__(self, number: int) -> bool:
        return number in self._buckets[number % _BUCKETS]

    def update(self, numbers: Iterable[int]) -> None:
        """Adds numbers of up to 64 bits."""
        for number in numbers:
            at = number % _BUCKETS
            bucket = self._buckets[at]
            bucket.append(number)
            if len(bucket) >= self._full[at]:
                self._buckets[at] = bucket = array("Q", set(bucket))
                self._full[at] = 2 * len(bucket) + _SLACK
