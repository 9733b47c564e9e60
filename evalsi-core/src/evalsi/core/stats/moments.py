"""Mean, spread and clustered standard error of a list of numbers, exact to the last digits.

Sums are exact ones rounded once, so that the order of the records changes nothing; equal values
have no spread at all, and values near the ends of the float range neither overflow nor vanish.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

__all__ = ["Moments", "around", "clustered_error", "moments"]

_LARGEST: Final = sys.float_info.max
_PLAIN: Final = (1e-100, 1e100)  # magnitudes whose squares are safe to sum


class Moments(NamedTuple):
    """How many numbers, their mean, and their standard deviation (ddof 1; 0.0 for one number)."""

    n: int
    mean: float
    sd: float

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.sd / math.sqrt(self.n)


def moments(values: Sequence[float]) -> Moments:
    """The moments of at least one finite number.

    Raises:
        ValueError: there is no number, or one is not finite.
    """
    if not values:
        raise ValueError("there are no values; a mean needs at least one")
    low, high = min(values), max(values)
    if not all(map(math.isfinite, values)):
        raise ValueError("a value is not a finite number")
    if low == high:
        return Moments(len(values), float(low), 0.0)
    shift = _shift(max(-low, high))
    scaled = [math.ldexp(value, -shift) for value in values] if shift else values
    n = len(values)
    mean = math.fsum(scaled) / n
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in scaled) / (n - 1))
    return Moments(n, _unshifted(mean, shift), _unshifted(sd, shift))


def clustered_error(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[float, int]:
    """The cluster-robust standard error of the mean, and the number of clusters.

    A value whose cluster is None is a cluster of its own. With fewer than two clusters the error
    is NaN: one cluster says nothing about the spread between clusters.

    Source: Liang and Zeger 1986, with the factor G/(G-1); Miller 2024, arXiv 2411.00640.
    """
    _, mean, sd = moments(values)
    shift = _shift(max(map(abs, values)))
    centre = math.ldexp(mean, -shift)
    parts: dict[Hashable, list[float]] = {}
    for number, (value, cluster) in enumerate(zip(values, clusters, strict=True)):
        key = ("alone", number) if cluster is None else ("in", cluster)
        parts.setdefault(key, []).append(math.ldexp(value, -shift) - centre)
    count = len(parts)
    if count < 2:
        return math.nan, count
    if sd == 0:
        return 0.0, count
    squares = math.fsum(math.fsum(part) ** 2 for part in parts.values())
    error = math.sqrt(count / (count - 1) * squares) / len(values)
    return _unshifted(error, shift), count


def around(centre: float, half: float) -> tuple[float, float]:
    """The interval of this half width, kept within what a float holds."""
    return max(-_LARGEST, centre - half), min(_LARGEST, centre + half)


def _shift(magnitude: float) -> int:
    return 0 if _PLAIN[0] < magnitude < _PLAIN[1] else math.frexp(magnitude)[1]


def _unshifted(value: float, shift: int) -> float:
    try:
        return math.ldexp(value, shift)
    except OverflowError:  # two values at both ends of the range are further apart than it
        return _LARGEST
