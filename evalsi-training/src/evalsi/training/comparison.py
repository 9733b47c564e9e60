"""A step against the base, column by column: the sums of a paired comparison, taken at once.

What they mean is core's to say: `evalsi.core.stats.comparison_of`.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from evalsi.core.stats import Changes, Comparison, comparison_of
from evalsi.training.values import Column, StepValues

__all__ = ["Pairing"]

_ROUNDING: Final = 1e-12  # as core's `compare`: values that differ by less are equal


class Pairing:
    """Compares steps with one base; what hangs on the base alone is done once.

    Args:
        base: the base's values.
        trials: the most trials that a value is the mean of.
        confidence: of the intervals.
    """

    def __init__(self, base: StepValues, *, trials: int = 1, confidence: float = 0.95) -> None:
        self._base = base
        self._trials = trials
        self._confidence = confidence
        self._places = {name: place for place, name in enumerate(base.ids)}
        codes: dict[str, int] = {}
        self._clusters = np.array(
            [-1 if name is None else codes.setdefault(name, len(codes)) for name in base.clusters],
            np.int64,
        )

    def of(self, step: StepValues, metric: str) -> Comparison:
        """What happened to a metric; a metric that a side lacks was measured on no record of it."""
        base = self._base.columns.get(metric, _nothing(len(self._base.ids)))
        after = step.columns.get(metric, _nothing(len(step.ids)))
        extra = 0
        if step.ids != self._base.ids:
            after, extra = self._aligned(step.ids, after)
        both = ~(np.isnan(base) | np.isnan(after))
        n = int(both.sum())
        missing = int((~np.isnan(base)).sum()) - n
        extra += int((~np.isnan(after)).sum()) - n
        if n == 0:
            return Comparison(0, missing=missing, extra=extra)
        clusters = self._clusters[both] if len(self._clusters) else None
        changes = self._changes(base[both], after[both], clusters, missing, extra)
        return comparison_of(changes, confidence=self._confidence)

    def _aligned(self, ids: tuple[str, ...], column: Column) -> tuple[Column, int]:
        """A column in the base's order, and how many of its values the base has no record for."""
        found = _nothing(len(self._base.ids))
        places = np.array([self._places.get(name, -1) for name in ids], np.int64)
        known = places >= 0
        found[places[known]] = column[known]
        return found, int((~np.isnan(column[~known])).sum())

    def _changes(
        self,
        before: Column,
        after: Column,
        clusters: np.ndarray[tuple[int], np.dtype[np.int64]] | None,
        missing: int,
        extra: int,
    ) -> Changes:
        change = after - before
        scale = np.maximum(np.abs(before), np.abs(after))
        change[np.abs(change) <= _ROUNDING * scale] = 0.0
        n = len(change)
        constant = bool(change.min() == change.max())
        diff = float(change[0] if constant else change.mean())
        if clusters is not None:
            error, df = _clustered(change - diff, clusters)
        else:
            error, df = 0.0 if constant else float(change.std(ddof=1)) / math.sqrt(n), n - 1
        binary = self._trials == 1 and _is_binary(before) and _is_binary(after)
        return Changes(
            n,
            float(before.mean()),
            float(after.mean()),
            diff,
            error,
            df,
            int((change < 0).sum()),
            int((change > 0).sum()),
            binary=binary,
            clustered=clusters is not None,
            missing=missing,
            extra=extra,
        )


def _clustered(
    centred: Column, clusters: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> tuple[float, int]:
    """The cluster-robust standard error, and its degrees of freedom (Liang and Zeger 1986)."""
    alone = clusters < 0
    sums = np.bincount(clusters[~alone], centred[~alone])
    present = np.bincount(clusters[~alone]) > 0
    count = int(present.sum() + alone.sum())
    if count < 2:
        return math.nan, count - 1
    squares = float((sums[present] ** 2).sum() + (centred[alone] ** 2).sum())
    return math.sqrt(count / (count - 1) * squares) / len(centred), count - 1


def _is_binary(column: Column) -> bool:
    return bool(((column == 0) | (column == 1)).all())


def _nothing(size: int) -> Column:
    return np.full(size, np.nan)
