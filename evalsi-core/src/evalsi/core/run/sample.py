"""Which rows of a dataset are asked: a sample that hangs on a number, and nothing else.

A row's rank is a hash of the seed and its id. So the choice does not hang on the order of the
rows or on a library's random numbers, and a larger sample holds the smaller one.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable

__all__ = ["sampled"]


def sampled(rows: Iterable[tuple[str, str]], size: int, seed: int) -> set[str]:
    """The ids of a seeded sample.

    Each stratum gives its share of `size` in whole rows; what rounding leaves goes to the largest
    remainders, so that no share is off by a whole row.

    Args:
        rows: id and stratum of every row; ids are unique.
        size: at most so many ids.
        seed: any integer.
    """
    strata: dict[str, list[tuple[bytes, str]]] = defaultdict(list)
    for row, stratum in rows:
        strata[stratum].append((_rank(seed, row), row))
    counts = {stratum: len(ranked) for stratum, ranked in strata.items()}
    quotas = _quotas(counts, size)
    return {row for key, ranked in strata.items() for _, row in sorted(ranked)[: quotas[key]]}


def _rank(seed: int, row: str) -> bytes:
    text = f"{seed}\0{row}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def _quotas(counts: dict[str, int], size: int) -> dict[str, int]:
    whole = sum(counts.values())
    if size >= whole:
        return counts
    quotas = {key: count * size // whole for key, count in counts.items()}
    remainders = sorted(counts, key=lambda key: (-(counts[key] * size % whole), key))
    for key in remainders[: size - sum(quotas.values())]:
        quotas[key] += 1
    return quotas
