"""Words of an answer as SQuAD counts them.

Source: Rajpurkar et al. 2016, SQuAD, and its evaluation script, version 1.1: lower case, without
ASCII punctuation, without the articles a, an and the.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import Final, NamedTuple

__all__ = ["Overlap", "overlap", "squad_words"]

_PUNCTUATION: Final = dict.fromkeys(map(ord, string.punctuation))
_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")


class Overlap(NamedTuple):
    """How far the words of two texts agree; each number is in [0, 1]."""

    f1: float
    precision: float
    recall: float


def squad_words(text: str) -> list[str]:
    """The words that count."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def overlap(found: list[str], expected: list[str]) -> Overlap:
    """F1, precision and recall of the words found, each as often as it stands in both.

    Where one of the texts has no words at all, the numbers are 1 if both have none, else 0.
    """
    if not found or not expected:
        agree = float(found == expected)
        return Overlap(agree, agree, agree)
    shared = (Counter(found) & Counter(expected)).total()
    if shared == 0:
        return Overlap(0.0, 0.0, 0.0)
    f1 = 2 * shared / (len(found) + len(expected))
    return Overlap(f1, shared / len(found), shared / len(expected))
