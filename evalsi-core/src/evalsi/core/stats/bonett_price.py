"""Bonett and Price's interval for the difference of two paired shares: closed, and cautious."""

from __future__ import annotations

import math

from evalsi.core.stats.mcnemar import checked_flips
from evalsi.core.stats.normal import normal_critical, normal_two_sided

__all__ = ["bonett_price_interval", "bonett_price_p"]


def bonett_price_interval(
    lost: int, gained: int, *, n: int, confidence: float = 0.95
) -> tuple[float, float]:
    """The interval of the change in share, cut to [-1, 1]; one flip is added on either side.

    Raises:
        ValueError: the counts are not those of n records, n is 0, or `confidence` is not between
            0 and 1.

    Source: Bonett and Price 2012, Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data.
    """
    change, error = _adjusted(lost, gained, n)
    half = normal_critical(confidence) * error
    return max(-1.0, change - half), min(1.0, change + half)


def bonett_price_p(lost: int, gained: int, *, n: int) -> float:
    """The two-sided p that belongs to the interval: they never disagree about 0."""
    change, error = _adjusted(lost, gained, n)
    return normal_two_sided(change / error)


def _adjusted(lost: int, gained: int, n: int) -> tuple[float, float]:
    checked_flips(lost, gained, n)
    losing, gaining = (lost + 1) / (n + 2), (gained + 1) / (n + 2)
    change = gaining - losing
    return change, math.sqrt((losing + gaining - change**2) / (n + 2))
