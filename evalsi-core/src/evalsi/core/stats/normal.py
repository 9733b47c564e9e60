"""The normal distribution where the other rooms need it: critical values and p-values."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

__all__ = ["checked_confidence", "normal_critical", "normal_quantile", "normal_two_sided"]

_STANDARD: Final = NormalDist()


def checked_confidence(confidence: float) -> float:
    """The confidence, which lies between 0 and 1.

    Raises:
        ValueError: it does not.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence!r}; it lies between 0 and 1, as 0.95 does")
    return confidence


def normal_critical(confidence: float) -> float:
    """The z that a normal variable stays within, on both sides, with this probability."""
    return -_STANDARD.inv_cdf((1 - checked_confidence(confidence)) / 2)


def normal_quantile(probability: float) -> float:
    """The z that a normal variable stays below with this probability."""
    return _STANDARD.inv_cdf(checked_confidence(probability))


def normal_two_sided(z: float) -> float:
    """The probability that a normal variable is at least as far from 0 as `z`."""
    return math.erfc(abs(z) / math.sqrt(2))
