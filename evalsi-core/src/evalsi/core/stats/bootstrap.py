"""The percentile bootstrap, for statistics that have no formula; seeded, so that it repeats.

For means it is offered by choice only: of few records with few flips it covers far too rarely.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean

from evalsi.core.stats.normal import checked_confidence

__all__ = ["Bootstrap", "bootstrap"]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """What resampling says about a statistic.

    Attributes:
        lo: the lower end of the interval.
        hi: the upper end.
        p: two-sided, for the statistic being 0; under 1 - confidence exactly when the interval
            excludes 0, as long as `resamples + 1` times half of that is whole.
    """

    lo: float
    hi: float
    p: float


def bootstrap(  # noqa: PLR0913 - keyword-only options
    values: Sequence[float],
    statistic: Callable[[Sequence[float]], float] = fmean,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    resamples: int = 1999,
    seed: int = 0,
) -> Bootstrap | None:
    """The statistic's interval over resampled records, or resampled clusters.

    Takes `resamples` passes over the values. The same seed gives the same ends. None for fewer
    than two records, or clusters.

    Raises:
        ValueError: `confidence` is not between 0 and 1, or leaves less than one resample beyond
            an end.

    Source: Efron and Tibshirani 1993, An introduction to the bootstrap, chapter 13.
    """
    beyond = round((1 - checked_confidence(confidence)) / 2 * (resamples + 1), 6)
    if beyond < 1:
        raise ValueError(f"{resamples} resamples are too few for a confidence of {confidence}")
    units = _units(values, clusters)
    if len(units) < 2:
        return None
    draw = random.Random(seed)  # noqa: S311 - a repeatable draw, not a secret
    drawn = sorted(
        statistic([value for unit in draw.choices(units, k=len(units)) for value in unit])
        for _ in range(resamples)
    )
    place = int(beyond)
    not_above = sum(value <= 0 for value in drawn)
    not_below = sum(value >= 0 for value in drawn)
    p = min(1.0, 2 * (min(not_above, not_below) + 1) / (resamples + 1))
    return Bootstrap(drawn[place - 1], drawn[-place], p)


def _units(values: Sequence[float], clusters: Sequence[Hashable] | None) -> list[Sequence[float]]:
    if clusters is None:
        return [(value,) for value in values]
    units: dict[Hashable, list[float]] = {}
    for number, (value, cluster) in enumerate(zip(values, clusters, strict=True)):
        key = ("alone", number) if cluster is None else ("in", cluster)
        units.setdefault(key, []).append(value)
    return list(units.values())
