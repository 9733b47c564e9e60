"""A run in numbers: for each metric its mean, its interval, and what was not measured.

The unit is the record. `n` counts the records with a value, and with `skipped` and `errors` it
adds up to all records that the metric is about: an outage shrinks `n`, it never lowers a mean. A
metric is about all records, unless its evaluator's `about` names some.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from evalsi.core.evaluator import Direction
from evalsi.core.results import JSON
from evalsi.core.run.measures import Measure, Metric, metrics_of
from evalsi.core.run.results import RecordResult
from evalsi.core.run.trials import (
    MEAN,
    Outcome,
    Reduction,
    metric_and_reduction,
    outcome_of,
    reduced,
)
from evalsi.core.stats import Method, interval_of

__all__ = ["MetricSummary", "Summary"]

_NOTHING: Final[Mapping[str, JSON]] = {}
_ALONE: Final = -1  # the cluster of a record that has none
_Clusters: TypeAlias = list[int | None]


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric of a run.

    Attributes:
        name: the metric's name.
        n: records with a value; mean and interval are over these.
        mean: None when `n` is 0.
        lo: the interval's lower end; None where there is no interval.
        hi: its upper end.
        skipped: records to which the evaluator, or this metric of it, did not apply.
        errors: records that failed to be measured.
        empty: records among `n` with an output that held nothing.
        partial: records among `n` some of whose trials failed to be measured.
        direction: which way is better.
        method: how the interval was found.
    """

    name: str
    n: int
    mean: float | None
    lo: float | None
    hi: float | None
    skipped: int
    errors: int
    empty: int
    partial: int
    direction: Direction
    method: Method


class Summary:
    """Collects a run's results, record by record, and keeps numbers only (some 30 bytes each).

    Args:
        measures: what the run's evaluators report.
        trials: how often each record is asked; from 2 on there are pass@ and pass^.
        asked: further metrics by name, such as `math-equiv.pass@4`.
        confidence: of the intervals.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        *,
        trials: int = 1,
        asked: Iterable[str] = (),
        confidence: float = 0.95,
    ) -> None:
        self._columns = {metric.name: _Column(metric) for metric in metrics_of(measures)}
        self._trials, self._asked, self._confidence = trials, [*asked], confidence
        self._codes: dict[str, int] = {}

    def add(
        self,
        rows: Sequence[RecordResult],
        *,
        cluster: str | None = None,
        metadata: Mapping[str, JSON] = _NOTHING,
    ) -> None:
        """Takes in one record: all its trials, the cluster that it belongs to, its metadata."""
        empty = [row.empty for row in rows]
        code = _ALONE if cluster is None else self._codes.setdefault(cluster, len(self._codes))
        for column in self._columns.values():
            metric = column.metric
            if metric.is_about(metadata):
                results = [row.results[metric.measure.name] for row in rows]
                column.append(outcome_of(results, empty, metric.key), code)

    def metrics(self) -> dict[str, MetricSummary]:
        """The summaries so far: use by use, and what was asked for beside these at the end.

        A further metric is left out that is about no record, or that nothing reports while nothing
        fails.
        """
        found: dict[str, MetricSummary] = {}
        for column in self._columns.values():
            if column.metric.leading or column.told:
                for how in (MEAN, *column.reductions(self._trials)):
                    found[how.of(column.metric.name)] = self._summary(column, how)
        for name in self._asked:
            metric, how = metric_and_reduction(name)
            if name not in found and metric in self._columns:
                found[name] = self._summary(self._columns[metric], how)
        return found

    def _summary(self, column: _Column, how: Reduction) -> MetricSummary:
        found = column.reduced(how)
        clusters = found.clusters if self._codes else None
        interval = interval_of(found.values, clusters=clusters, confidence=self._confidence)
        return MetricSummary(
            how.of(column.metric.name),
            interval.n,
            interval.mean,
            interval.lo,
            interval.hi,
            found.counts["skipped"],
            found.counts["errors"],
            found.counts["empty"],
            found.counts["partial"],
            column.metric.direction,
            interval.method,
        )


class _Reduced(NamedTuple):
    values: array[float]
    clusters: _Clusters
    counts: dict[Literal["skipped", "errors", "empty", "partial"], int]


class _Column:
    """One metric's outcomes, as arrays of numbers."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.told = False  # whether there was more than records to which it does not apply
        self._means = array("d")
        self._counts = array("I")  # four a record: scored, passed, skipped, errors
        self._empty = bytearray()
        self._clusters = array("q")

    def append(self, outcome: Outcome, cluster: int) -> None:
        self.told = self.told or outcome.scored > 0 or outcome.errors > 0
        self._means.append(outcome.mean)
        self._counts.extend(outcome[1:5])
        self._empty.append(outcome.empty)
        self._clusters.append(cluster)

    def outcomes(self) -> Iterator[tuple[Outcome, int]]:
        counts = iter(self._counts)
        rows = zip(self._means, counts, counts, counts, counts, self._empty, strict=True)
        for row, cluster in zip(rows, self._clusters, strict=True):
            yield Outcome._make(row), cluster

    def reductions(self, trials: int) -> list[Reduction]:
        """pass@ and pass^ of all trials, for a use's value that can be read as marks."""
        leading = self.metric.leading and self.metric.direction == "higher"
        if trials < 2 or not leading or self.metric.measure.grouped:
            return []
        marks = all(0 <= mean <= 1 for mean in self._means)
        return [Reduction("pass@", trials), Reduction("pass^", trials)] if marks else []

    def reduced(self, how: Reduction) -> _Reduced:
        found = _Reduced(array("d"), [], {"skipped": 0, "errors": 0, "empty": 0, "partial": 0})
        for outcome, cluster in self.outcomes():
            value = reduced(outcome, how)
            if value is None:
                found.counts["errors" if outcome.errors else "skipped"] += 1
                continue
            found.values.append(value)
            found.clusters.append(None if cluster == _ALONE else cluster)
            found.counts["empty"] += outcome.empty
            found.counts["partial"] += outcome.errors > 0
        return found
