"""The tiers with their caches: what a reference says, and what was decided about an answer.

A GRPO group repeats its reference, and often its answers; each is read and compared once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from evalsi_pack_rl.math_equiv.compare import EQUAL_NUMBER, OTHER_NUMBER, compare
from evalsi_pack_rl.math_equiv.reading import Reading
from evalsi_pack_rl.math_equiv.verdict import Leniency, Verdict

__all__ = ["Ladder"]

_SHORTEST: Final = re.compile(r"-?(?:[1-9][0-9]*+(?:\.[0-9]*[1-9])?|0\.[0-9]*[1-9])|0").fullmatch
"""A decimal number in its shortest spelling: no two of these are equal."""

_REFERENCES: Final = 4096
_VERDICTS: Final = 1 << 14
_LONGEST_KEPT: Final = 1000
"""Characters of an answer and its reference up to which a verdict is kept."""


class Ladder:
    """Verdicts on pairs of texts. Safe from many threads; deterministic.

    Args:
        lenient: the leniencies that may be used.
    """

    def __init__(self, lenient: frozenset[Leniency]) -> None:
        self._lenient = lenient
        self._reading = lru_cache(_REFERENCES)(Reading)
        self._kept = lru_cache(_VERDICTS)(self._compared)

    def verdict(self, expected: str, answer: str) -> Verdict:
        """The verdict of all tiers but the symbolic one."""
        if _SHORTEST(expected) and _SHORTEST(answer):  # nine references of ten in GSM8K
            return EQUAL_NUMBER if expected == answer else OTHER_NUMBER
        if len(expected) + len(answer) > _LONGEST_KEPT:
            return self._compared(expected, answer)
        return self._kept(expected, answer)

    def _compared(self, expected: str, answer: str) -> Verdict:
        return compare(self._reading(expected), Reading(answer), self._lenient)
