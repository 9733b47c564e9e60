"""Parts of a panel that hang on a number and the records' names alone.

A rank is a hash of purpose, seed and id, so that a part does not hang on the order of the records
and parts of two purposes have nothing to do with each other. Records of one cluster stay together.
"""

from __future__ import annotations

import functools
import hashlib
from collections import defaultdict

__all__ = ["subset_of"]


@functools.lru_cache(maxsize=8)  # every step of a run asks for the same part
def subset_of(
    ids: tuple[str, ...],
    clusters: tuple[str | None, ...],
    size: int,
    *,
    seed: int = 0,
    purpose: str,
) -> frozenset[str]:
    """The ids of a part of so many records, or of a few more where a cluster would be cut.

    Args:
        ids: the panel's records; unique.
        clusters: the cluster of each, or None; empty where the run has none.
        size: records of the part.
        seed: any integer.
        purpose: what the part is for.
    """
    whole: dict[tuple[str, str], list[str]] = defaultdict(list)
    for place, name in enumerate(ids):
        cluster = clusters[place] if clusters else None
        whole[("record", name) if cluster is None else ("cluster", cluster)].append(name)
    chosen: list[str] = []
    for unit in sorted(whole, key=lambda one: _rank(purpose, seed, *one)):
        if len(chosen) >= size:
            break
        chosen += whole[unit]
    return frozenset(chosen)


def _rank(*parts: str | int) -> bytes:
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()
