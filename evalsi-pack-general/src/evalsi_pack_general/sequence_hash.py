"""Numbers for sequences of words: the same on every machine, 61 bits each, rolling.

A word costs a few operations however long the sequences are (Karp and Rabin 1987).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

from evalsi_pack_general.words import words_of

__all__ = ["plain_words", "sequence_hashes"]

_PRIME: Final = (1 << 61) - 1
_BASE: Final = 0x1B873593CC9E2D51 % _PRIME


def plain_words(text: str) -> Iterator[str]:
    """The words of a text without its punctuation, as they are asked for."""
    return (word for word in words_of(text) if len(word) > 1 or word.isalnum())


def sequence_hashes(words: Iterable[str], n: int) -> Iterator[int]:
    """The numbers of all sequences of n words, in order."""
    lead = pow(_BASE, n, _PRIME)
    codes: list[int] = []
    value = 0
    for at, word in enumerate(words):
        codes.append(_code(word))
        value = (value * _BASE + codes[at]) % _PRIME
        if at >= n:
            value = (value - codes[at - n] * lead) % _PRIME
        if at >= n - 1:
            yield value


@functools.lru_cache(maxsize=1 << 17)
def _code(word: str) -> int:
    raw = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest()) % _PRIME
