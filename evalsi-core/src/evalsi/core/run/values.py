"""One value a record and metric, from the rows of a run: what a paired comparison compares."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evalsi.core.run.measures import Measure, Metric, metrics_of
from evalsi.core.run.results import RecordResult
from evalsi.core.run.rows import output_of, result_of
from evalsi.core.run.trials import Reduction, metric_and_reduction, outcome_of, reduced

__all__ = ["Values"]


class Values:
    """Collects values, record by record, in the order of the rows; NaN where there is none.

    Args:
        measures: what the run's evaluators report.
        names: the metrics to keep, by the names that results give them.
        trials: rows of each record, which follow one another.

    Attributes:
        ids: the records' ids.
        clusters: the cluster of each record, or None.
        columns: by metric's name, a value a record.
    """

    def __init__(self, measures: Sequence[Measure], names: Iterable[str], trials: int = 1) -> None:
        known = {metric.name: metric for metric in metrics_of(measures)}
        self._asked = [(name, *_asked(name, known)) for name in names]
        self._trials = trials
        self._open: list[Mapping[str, Any]] = []
        self.ids: list[str] = []
        self.clusters: list[str | None] = []
        self.columns: dict[str, array[float]] = {name: array("d") for name, *_ in self._asked}

    def take(self, row: Mapping[str, Any]) -> None:
        """Takes the next row."""
        self._open.append(row)
        if len(self._open) == self._trials:
            self._close([_result(row) for row in self._open], self._open[0])
            self._open = []

    def _close(self, results: Sequence[RecordResult], first: Mapping[str, Any]) -> None:
        self.ids.append(first["id"])
        self.clusters.append(first.get("cluster"))
        empty = [result.empty for result in results]
        for name, metric, how in self._asked:
            value = None
            if metric.is_about(first.get("metadata", {})):
                scores = [result.results[metric.measure.name] for result in results]
                value = reduced(outcome_of(scores, empty, metric.key), how)
            self.columns[name].append(math.nan if value is None else value)


def _asked(name: str, known: Mapping[str, Metric]) -> tuple[Metric, Reduction]:
    if name in known:
        return known[name], Reduction("mean")
    metric, how = metric_and_reduction(name)
    return known[metric], how


def _result(row: Mapping[str, Any]) -> RecordResult:
    scores = {name: result_of(score) for name, score in row["scores"].items()}
    return RecordResult(row["id"], row["trial"], output_of(row["output"]), scores)
