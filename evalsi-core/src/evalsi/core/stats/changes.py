"""A paired comparison from sums alone, for whoever adds up a long list in another way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evalsi.core.stats.comparison import Comparison
from evalsi.core.stats.intervals import t_interval
from evalsi.core.stats.mcnemar import mcnemar_score
from evalsi.core.stats.student import t_two_sided
from evalsi.core.stats.tango import tango_interval

__all__ = ["Changes", "by_t", "by_tango", "comparison_of"]


@dataclass(frozen=True, slots=True)
class Changes:
    """The records that two measurements share, summed up.

    Attributes:
        n: how many they are, at least 1.
        base_mean: the base's mean over these.
        checkpoint_mean: the checkpoint's.
        diff: the mean change, checkpoint minus base.
        error: the standard error of `diff`: `sd / sqrt(n)`, or the clustered one; NaN without one.
        df: the degrees of freedom of `error`: n - 1, or clusters - 1.
        lost: records that fell.
        gained: records that rose.
        binary: whether every value on both sides is 0 or 1, from one trial.
        clustered: whether `error` is the clustered one.
        missing: records that the base measured and the checkpoint did not.
        extra: records that the checkpoint measured and the base did not.
    """

    n: int
    base_mean: float
    checkpoint_mean: float
    diff: float
    error: float
    df: int
    lost: int
    gained: int
    binary: bool = False
    clustered: bool = False
    missing: int = 0
    extra: int = 0


def comparison_of(changes: Changes, *, confidence: float = 0.95) -> Comparison:
    """The comparison that `compare` makes of the same records with `method="auto"`.

    Raises:
        ValueError: `confidence` is not between 0 and 1.
    """
    method: Literal["cluster-t", "tango", "t"] = "t"
    if changes.clustered:
        method = "cluster-t"
    elif changes.binary:
        method = "tango"
    found = None
    if changes.n > 1:
        found = (
            by_tango(changes.lost, changes.gained, changes.n, confidence)
            if method == "tango"
            else by_t(changes.diff, changes.error, changes.df, confidence)
        )
    (low, high), p = found or ((None, None), None)
    return Comparison(
        changes.n,
        changes.base_mean,
        changes.checkpoint_mean,
        changes.diff,
        low,
        high,
        p,
        method if found else "none",
        changes.lost,
        changes.gained,
        changes.missing,
        changes.extra,
    )


def by_t(
    mean: float, error: float, df: int, confidence: float
) -> tuple[tuple[float, float], float] | None:
    """Interval and p of a mean change by t; None where there is no interval."""
    ends = t_interval(mean, error, df, confidence)
    if ends is None:
        return None
    if error == 0:
        return ends, 1.0 if mean == 0 else 0.0
    return ends, t_two_sided(mean / error, df)


def by_tango(
    lost: int, gained: int, n: int, confidence: float
) -> tuple[tuple[float, float], float]:
    """Tango's interval, and the p of the test that it inverts."""
    return tango_interval(lost, gained, n=n, confidence=confidence), mcnemar_score(lost, gained)
