"""How many of the word sequences of several texts are different ones, at equal lengths.

The share falls with a text's length whatever is said, because words come again; texts are
therefore cut to one length before they are counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from evalsi_pack_general.words import words_of

__all__ = ["Cut", "cut_to_one_length", "distinct_share"]


@dataclass(frozen=True, slots=True)
class Cut:
    """Texts of one length.

    Attributes:
        texts: the first `length` words of each text that is long enough.
        length: the words of each.
    """

    texts: tuple[tuple[str, ...], ...]
    length: int


def cut_to_one_length(texts: Sequence[str], *, least: int, most: int) -> Cut:
    """The texts of at least `least` words, cut to the shortest of them or to `most` words."""
    heads = [tuple(itertools.islice(words_of(text), most)) for text in texts]
    long = [head for head in heads if len(head) >= least]
    length = min(map(len, long), default=0)
    return Cut(tuple(head[:length] for head in long), length)


def distinct_share(texts: Sequence[Sequence[str]], n: int) -> float:
    """Different sequences of n words over all sequences of n words, in (0, 1].

    Source: Li et al. 2016, A Diversity-Promoting Objective Function, section 5.1 (distinct-n).

    Raises:
        ZeroDivisionError: no text has n words.
    """
    seen: set[tuple[str, ...]] = set()
    total = 0
    for text in texts:
        found = [tuple(text[at : at + n]) for at in range(len(text) - n + 1)]
        total += len(found)
        seen.update(found)
    return len(seen) / total
