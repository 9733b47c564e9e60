"""Many tests at once: p-values corrected for how many there are, in the order they came."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["benjamini_hochberg", "bonferroni", "holm", "spent_alpha"]


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's corrected p-values: the chance of one false alarm among all is held.

    Source: Holm 1979, A simple sequentially rejective multiple test procedure.
    """
    corrected, highest = [0.0] * len(ps), 0.0
    for rank, place in enumerate(_ascending(ps)):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[place]))
        corrected[place] = highest
    return corrected


def bonferroni(ps: Sequence[float]) -> list[float]:
    """Each p-value times their number, at most 1; never below Holm's."""
    return [min(1.0, len(ps) * ps[place]) for place in _in_order(ps)]


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Corrected p-values that hold the share of false alarms among the alarms.

    Source: Benjamini and Hochberg 1995, Controlling the false discovery rate.
    """
    corrected, lowest = [0.0] * len(ps), 1.0
    for rank, place in reversed(list(enumerate(_ascending(ps), start=1))):
        lowest = min(lowest, len(ps) / rank * ps[place])
        corrected[place] = lowest
    return corrected


def spent_alpha(look: int, *, alpha: float = 0.05) -> float:
    """The part of `alpha` that look number `look`, from 1, may spend; all looks spend it once.

    Raises:
        ValueError: `look` is under 1.
    """
    if look < 1:
        raise ValueError(f"look is {look}; the first look is 1")
    return alpha * 6 / (math.pi * look) ** 2


def _ascending(ps: Sequence[float]) -> list[int]:
    return sorted(_in_order(ps), key=ps.__getitem__)


def _in_order(ps: Sequence[float]) -> range:
    for p in ps:
        if not 0 <= p <= 1:
            raise ValueError(f"a p-value is {p!r}; it lies between 0 and 1")
    return range(len(ps))
