"""Tango's score interval for the difference of two paired shares.

It inverts the score test: D is inside while |gained - lost - n D| stays within z standard
deviations, taken under that very D. So it excludes 0 exactly when the uncorrected McNemar test
rejects, and it keeps a width where not one record flipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from evalsi.core.stats.mcnemar import checked_flips
from evalsi.core.stats.normal import normal_critical

__all__ = ["tango_interval"]


def tango_interval(
    lost: int, gained: int, *, n: int, confidence: float = 0.95
) -> tuple[float, float]:
    """The interval of the change in share, within [-1, 1].

    Args:
        lost: records that passed before and fail now.
        gained: records that failed before and pass now.
        n: all records.
        confidence: the share of intervals that hold the truth.

    Raises:
        ValueError: the counts are not those of n records, n is 0, or `confidence` is not between
            0 and 1.

    Source: Tango 1998, Equivalence test and confidence interval for the difference in proportions
    for the paired-sample design, Statistics in Medicine 17, 891-908.
    """
    checked_flips(lost, gained, n)
    z = normal_critical(confidence)
    middle = (gained - lost) / n

    def beyond(change: float, sign: int) -> float:
        spread = math.sqrt(n * _variance(lost, gained, n, change))
        return sign * (gained - lost - n * change) - z * spread

    low = _root(lambda change: beyond(change, 1), -1.0, middle)
    high = _root(lambda change: beyond(change, -1), 1.0, middle)
    return low, high


def _variance(lost: int, gained: int, n: int, change: float) -> float:
    """The variance of one record's change when the true change is `change`.

    The probability of losing a record is the greater root of a quadratic: the likelihood's maximum
    under that change.
    """
    a = 2 * n
    b = (2 * n - gained + lost) * change - lost - gained
    c = -lost * change * (1 - change)
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    losing = -2 * c / (b + root) if b > 0 else (root - b) / (2 * a)
    return max(0.0, 2 * losing + change * (1 - change))


def _root(beyond: Callable[[float], float], outside: float, inside: float) -> float:
    """Where `beyond` changes its sign, by bisection until the floats end."""
    while True:
        middle = (outside + inside) / 2
        if middle in (outside, inside):
            return middle
        if beyond(middle) > 0:
            outside = middle
        else:
            inside = middle
