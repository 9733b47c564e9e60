"""Student's t distribution by the incomplete beta function, from the standard library alone.

The two-sided tail of t with `df` degrees of freedom is I(df/2, 1/2) at df / (df + t^2). Both
functions hold to about 1e-11 of their value for every df from 1 to a million.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Final

from evalsi.core.stats.normal import checked_confidence, normal_critical

__all__ = ["t_critical", "t_two_sided"]

_LARGE: Final = 500.0  # beyond it the difference of two log-gammas loses digits
_TINY: Final = 1e-300


@functools.lru_cache(maxsize=4096)
def t_critical(confidence: float, df: float) -> float:
    """The t that a Student variable stays within, on both sides, with this probability.

    Raises:
        ValueError: `confidence` is not between 0 and 1, or `df` is under 1.
    """
    tail = 1 - checked_confidence(confidence)
    t = normal_critical(confidence)
    # The tail is convex and t starts left of the answer: a step that does not go right is noise.
    while (step := (t_two_sided(t, df) - tail) / (2 * _density(t, df))) > 1e-15 * t:
        t += step
    return t


def t_two_sided(t: float, df: float) -> float:
    """The probability that a Student variable is at least as far from 0 as `t`.

    Raises:
        ValueError: `df` is under 1, or `t` is no number.
    """
    if not df >= 1:
        raise ValueError(f"df is {df!r}; degrees of freedom are 1 or more")
    if math.isnan(t):
        raise ValueError("t is not a number, so that it has no tail")
    square = t * t / df
    if not 0 < square < math.inf:
        return 1.0 if square == 0 else 0.0
    a, x, rest = df / 2, 1 / (1 + square), square / (1 + square)
    front = math.exp(-a * math.log1p(square)) * math.sqrt(rest) / _beta_half(a)
    if x * (a + 2.5) < a + 1:
        return front / (a * _fraction(a, 0.5, x))
    return 1 - 2 * front / _fraction(0.5, a, rest)


def _density(t: float, df: float) -> float:
    power = math.exp(-(df + 1) / 2 * math.log1p(t * t / df))
    return power / (math.sqrt(df) * _beta_half(df / 2))


def _beta_half(a: float) -> float:
    """B(a, 1/2); for large a by the expansion of a ratio of gammas, DLMF 5.11.13."""
    if a < _LARGE:
        return math.exp(math.lgamma(a) + math.lgamma(0.5) - math.lgamma(a + 0.5))
    series = 1 - 1 / (8 * a) + 1 / (128 * a**2) + 5 / (1024 * a**3) - 21 / (32768 * a**4)
    return math.sqrt(math.pi / a) / series


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, DLMF 8.17.22, by Lentz's way."""
    value, upper, lower = 1.0, 1.0, 0.0
    for m in itertools.count():
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2))
        before = value
        for part in (odd, even):
            lower = 1 / (1 + part * lower or _TINY)
            upper = 1 + part / upper or _TINY
            value *= upper * lower
        if abs(value - before) <= 1e-16 * abs(value):
            break
    return value
