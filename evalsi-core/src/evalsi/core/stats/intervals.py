"""The interval around one metric's mean, by a fixed rule that its values decide.

Clusters: cluster t. Values that are all 0 or 1: Wilson. Anything else: t. Nothing is drawn at
random, so that the same values give the same interval everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalsi.core.stats.moments import Moments, around, clustered_error, moments
from evalsi.core.stats.normal import checked_confidence
from evalsi.core.stats.student import t_critical
from evalsi.core.stats.wilson import wilson_interval

__all__ = ["Interval", "Method", "all_binary", "interval_of", "t_interval"]

Method: TypeAlias = Literal["wilson", "t", "cluster-t", "none"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and how sure it is.

    Attributes:
        n: the values.
        mean: their mean; None without values.
        lo: the lower end; None where there is no interval.
        hi: the upper end.
        method: how the ends were found; `none` where there are none.
    """

    n: int
    mean: float | None
    lo: float | None = None
    hi: float | None = None
    method: Method = "none"


def interval_of(
    values: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    binary: bool | None = None,
    confidence: float = 0.95,
) -> Interval:
    """The mean of one value a record, with its interval.

    No values give no mean. One value gives no interval, unless it is 0 or 1; one cluster gives
    none either. Equal values that are not 0 or 1 give an interval without width.

    Args:
        values: finite numbers; trials are averaged before.
        clusters: for each value the group that it shares its luck with (a document, a seed); None
            in place of a group: a group of its own.
        binary: whether the values are passes and failures; None: when all are 0 or 1.
        confidence: the share of such intervals that hold the truth.

    Raises:
        ValueError: a value is not finite, `binary` values are not 0 or 1, `clusters` is not as
            long as `values`, or `confidence` is not between 0 and 1.
    """
    checked_confidence(confidence)
    if not values:
        return Interval(0, None)
    found = moments(values)
    if clusters is not None:
        error, count = clustered_error(values, clusters)
        return _interval(found, t_interval(found.mean, error, count - 1, confidence), "cluster-t")
    if binary or (binary is None and all_binary(values)):
        passes = _passes(values)
        ends = wilson_interval(passes, found.n, confidence=confidence)
        return _interval(found, ends, "wilson")
    return _interval(found, t_interval(found.mean, found.error, found.n - 1, confidence), "t")


def t_interval(
    mean: float, error: float, df: int, confidence: float = 0.95
) -> tuple[float, float] | None:
    """The mean, and t standard errors on both sides; None without a degree of freedom."""
    return around(mean, t_critical(confidence, df) * error) if df >= 1 else None


def all_binary(values: Sequence[float]) -> bool:
    """Whether every value is exactly 0 or 1."""
    return all(value in (0, 1) for value in values)


def _passes(values: Sequence[float]) -> int:
    if not all_binary(values):
        raise ValueError("a value is neither 0 nor 1; such values are not passes and failures")
    return round(math.fsum(values))


def _interval(found: Moments, ends: tuple[float, float] | None, method: Method) -> Interval:
    if ends is None:
        return Interval(found.n, found.mean)
    return Interval(found.n, found.mean, *ends, method)
