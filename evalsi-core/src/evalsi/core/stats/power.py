"""What a comparison can see: the smallest change, and the records that a change needs."""

from __future__ import annotations

import math

from evalsi.core.stats.normal import normal_critical, normal_quantile

__all__ = ["records_needed", "sd_of_change", "smallest_change"]


def smallest_change(sd: float, n: int, *, confidence: float = 0.95, power: float = 0.8) -> float:
    """The true change that n pairs find with this power (the minimal detectable effect).

    Args:
        sd: the standard deviation of the differences between paired records.
        n: pairs.
        confidence: of the two-sided interval that has to exclude 0.
        power: the chance that it does.

    Raises:
        ValueError: `n` is under 1, `sd` is negative, or a probability is not between 0 and 1.
    """
    if n < 1:
        raise ValueError(f"n is {n}; there is at least one pair")
    return _multiple(confidence, power) * _checked_sd(sd) / math.sqrt(n)


def records_needed(
    sd: float, change: float, *, confidence: float = 0.95, power: float = 0.8
) -> int:
    """The least number of pairs that find a true change of this size with this power.

    Raises:
        ValueError: `change` is not above 0, `sd` is negative, or a probability is not between 0
            and 1.
    """
    if not change > 0:
        raise ValueError(f"change is {change!r}; it is above 0")
    return max(1, math.ceil((_multiple(confidence, power) * _checked_sd(sd) / change) ** 2))


def sd_of_change(share: float, correlation: float) -> float:
    """The standard deviation of pass/fail differences when both sides pass with this share.

    Raises:
        ValueError: `share` is not in [0, 1], or `correlation` is not in [-1, 1].

    Source: Miller 2024, Adding error bars to evals, arXiv 2411.00640.
    """
    if not (0 <= share <= 1 and -1 <= correlation <= 1):
        raise ValueError(f"share is {share!r} and correlation {correlation!r}: that cannot be")
    return math.sqrt(2 * share * (1 - share) * (1 - correlation))


def _multiple(confidence: float, power: float) -> float:
    return normal_critical(confidence) + normal_quantile(power)


def _checked_sd(sd: float) -> float:
    if not 0 <= sd < math.inf:
        raise ValueError(f"sd is {sd!r}; a standard deviation is 0 or more")
    return sd
