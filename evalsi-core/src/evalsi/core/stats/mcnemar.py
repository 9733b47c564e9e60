"""McNemar's tests of two paired shares: tests only, without an interval."""

from __future__ import annotations

import math

from evalsi.core.stats.normal import normal_two_sided

__all__ = ["checked_flips", "mcnemar_exact", "mcnemar_score"]


def mcnemar_score(lost: int, gained: int) -> float:
    """The two-sided p of the uncorrected test; 1.0 when no record flipped.

    It is under 1 - confidence exactly when Tango's interval excludes 0.

    Source: McNemar 1947, Note on the sampling error of the difference between correlated
    proportions or percentages.
    """
    flips = lost + gained
    return normal_two_sided((gained - lost) / math.sqrt(flips)) if flips else 1.0


def mcnemar_exact(lost: int, gained: int) -> float:
    """The two-sided p of the exact test: each flip is a fair coin; 1.0 when no record flipped."""
    flips = lost + gained
    ways = term = 1
    for number in range(min(lost, gained)):
        term = term * (flips - number) // (number + 1)
        ways += term
    return min(1.0, 2 * ways / (1 << flips))


def checked_flips(lost: int, gained: int, n: int) -> None:
    """Refuses counts that cannot be those of n records.

    Raises:
        ValueError: a count is negative, or they exceed n, or n is 0.
    """
    if lost < 0 or gained < 0 or n < 1 or lost + gained > n:
        raise ValueError(f"{lost} lost and {gained} gained of {n} records: that cannot be")
