"""The edit distance of two texts: insertions, deletions and substitutions of letters.

Columns of the table of distances are kept as the bits of two integers, so that a letter costs a
few operations on numbers of as many bits as the pattern has letters.

Source: Hyyrö 2003, A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances,
figure 8; after Myers 1999.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["edit_distance", "edit_distance_within"]


def edit_distance(one: str, other: str) -> int:
    """The least number of edits that make one text the other."""
    if not one or not other:
        return len(one) + len(other)
    pattern, text = sorted((one, other), key=len)
    *_, distance = _distances(pattern, text, anywhere=False)
    return distance


def edit_distance_within(pattern: str, text: str) -> int:
    """The least number of edits that make the pattern a part of the text."""
    if not pattern or not text:
        return len(pattern)
    return min(len(pattern), *_distances(pattern, text, anywhere=True))


def _distances(pattern: str, text: str, *, anywhere: bool) -> Iterator[int]:
    """The distance of the pattern to the text up to each letter, or to a part that ends there."""
    places: dict[str, int] = {}
    for at, letter in enumerate(pattern):
        places[letter] = places.get(letter, 0) | 1 << at
    every, last = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    up, down, distance = every, 0, len(pattern)
    for letter in text:
        equal = places.get(letter, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        right, left = down | ~(diagonal | up) & every, up & diagonal
        distance += bool(right & last) - bool(left & last)
        right, left = (right << 1 | (not anywhere)) & every, left << 1 & every
        up, down = left | ~(diagonal | right) & every, right & diagonal
        yield distance
