"""Who meets whom: the pairs in which the responses to one prompt are compared."""

from __future__ import annotations

import itertools

__all__ = ["pairings"]


def pairings(count: int, opponents: int | None) -> list[tuple[int, int]]:
    """Pairs of different numbers below `count`, each pair once.

    Args:
        count: how many there are.
        opponents: an even number of others that each meets, those next to it in a ring; None, or
            a number that leaves nobody out: everyone meets everyone.
    """
    if opponents is None or opponents >= count - 1:
        return list(itertools.combinations(range(count), 2))
    steps = range(1, opponents // 2 + 1)
    return [(at, (at + step) % count) for step in steps for at in range(count)]
