"""From a run's work to what a step is kept as: its summaries, and a value a record and metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from evalsi.core.run.document import ResultFile
from evalsi.core.run.measures import measure_of
from evalsi.core.run.runner import perform
from evalsi.core.run.tally import Outcome
from evalsi.core.run.trials import metric_and_reduction
from evalsi.core.run.values import Values
from evalsi.core.run.work import Work
from evalsi.core.stats import interval_of
from evalsi.training.history import StepRecord
from evalsi.training.names import full_name
from evalsi.training.pins import original_of
from evalsi.training.steps import Step
from evalsi.training.values import Column, StepValues

__all__ = ["measured", "now", "summary_of"]


def measured(
    work: Work, path: Path, step: Step, checkpoint: str, asked: Iterable[str] = ()
) -> tuple[StepRecord, StepValues]:
    """Does the work of a step, or what is left of it.

    Args:
        work: what is asked and evaluated.
        path: where the run's own document goes.
        step: which.
        checkpoint: where its model lies.
        asked: metrics to keep values of beside those that are reported.

    Raises:
        RunStopped: what is asked is down.
    """
    measures = [measure_of(bound) for bound in work.bounds]
    outcome = perform(work, path)
    # Metrics that no record reports have no name in the outcome; those asked for always do.
    names = [*outcome.metrics, *map(full_name, asked), *(gate.metric for gate in work.gates)]
    values = Values(measures, dict.fromkeys(names), work.trials)
    result = ResultFile.of(path)
    for row in result.rows():
        values.take(row)
    held = _values(values)
    return _with_asked(_record(outcome, work, checkpoint, step, result.head), held), held


def summary_of(column: Column, clusters: tuple[str | None, ...], direction: str) -> dict[str, Any]:
    """What values of one metric come to: `n`, `mean`, `lo`, `hi`, `direction`, `method`."""
    places = np.flatnonzero(~np.isnan(column))
    held = [clusters[place] for place in places] if clusters else None
    found = interval_of(column[places].tolist(), clusters=held)
    return {
        "n": found.n,
        "mean": found.mean,
        "lo": found.lo,
        "hi": found.hi,
        "direction": direction,
        "method": found.method,
    }


def now() -> str:
    """This moment in ISO form."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _record(
    outcome: Outcome, work: Work, checkpoint: str, step: Step, head: Mapping[str, Any]
) -> StepRecord:
    metrics = {name: asdict(metric) for name, metric in outcome.metrics.items()}
    for row in metrics.values():
        del row["name"]
    return StepRecord(
        step,
        original_of(checkpoint),
        metrics,
        tuple(asdict(gate) for gate in outcome.gates),
        outcome.verdict,
        work.trials,
        evaluated=now(),
        by=head["evaluators"],
        target=head["target"],
    )


def _with_asked(record: StepRecord, values: StepValues) -> StepRecord:
    """A step that reports what was asked for too, such as pass@2 of eight trials."""
    further = {}
    for name, column in values.columns.items():
        whole = record.metrics.get(metric_and_reduction(name)[0])
        if name not in record.metrics and whole is not None:
            found = summary_of(column, values.clusters, whole["direction"])
            errors = whole["n"] + whole["errors"] - found["n"]
            further[name] = {**whole, **found, "errors": errors}
    return replace(record, metrics={**record.metrics, **further})


def _values(values: Values) -> StepValues:
    columns = {name: np.array(column) for name, column in values.columns.items()}
    clusters = tuple(values.clusters) if any(values.clusters) else ()
    return StepValues(tuple(values.ids), columns, clusters)
