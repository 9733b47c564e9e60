"""What the evaluators of a run report, and what each of their metrics is called.

An evaluator's own value bears the name of its use in the spec. A further metric keeps the name
that its class declares when that name says whose it is, `diversity.distinct-2` or
`refusal[harmful]`; else the use's name is put before it. Under another name of the use, the
evaluator's own name at the front gives way to it, so that two uses never share a metric.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evalsi.core.evaluator import Direction
from evalsi.core.results import JSON
from evalsi.core.run.trials import MEAN, metric_and_reduction
from evalsi.core.spec.bound import Bound
from evalsi.core.spec.issues import did_you_mean, listed, shown

__all__ = ["Measure", "Metric", "measure_of", "metric_issue", "metrics_of"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One use of an evaluator, as far as its metrics go.

    Attributes:
        name: the use's name in its spec.
        metrics: the declared metrics with their directions.
        own: the evaluator's short name: as a metric, the score's value.
        value: the metric that the spec chose for the value; None: the score's own.
        grouped: whether the evaluator looks at all trials of a record together.
        about: by metric, the metadata values of the records that it is about; else all records.
    """

    name: str
    metrics: Mapping[str, Direction]
    own: str
    value: str | None = None
    grouped: bool = False
    about: Mapping[str, Mapping[str, JSON]] = field(default_factory=dict)


class Metric(NamedTuple):
    """One metric of a run.

    Attributes:
        name: what results call it.
        measure: the use that reports it.
        key: where a score holds it: a further metric's declared name, or None for the value.
        direction: which way is better.
    """

    name: str
    measure: Measure
    key: str | None
    direction: Direction

    @property
    def leading(self) -> bool:
        """Whether it is its use's value, rather than a further metric."""
        return self.key == self.measure.value

    def is_about(self, metadata: Mapping[str, JSON]) -> bool:
        """Whether a record with this metadata is among those that the metric is about."""
        wanted = self.measure.about.get(self.key or "", {})
        return all(key in metadata and metadata[key] == wanted[key] for key in wanted)


def measure_of(bound: Bound) -> Measure:
    """The measure that a bound evaluator is."""
    own = bound.by.evaluator.rpartition(":")[2]
    grouped = bound.entry.endswith("score_group")
    return Measure(bound.name, bound.metrics, own, bound.metric, grouped, bound.about)


def metrics_of(measures: Sequence[Measure]) -> list[Metric]:
    """Every metric of a run, each use's value first; their names are unique."""
    found: dict[str, Metric] = {
        measure.name: Metric(measure.name, measure, measure.value, _direction(measure))
        for measure in measures
    }
    for measure in measures:
        for key, direction in _further(measure):
            name = _named(measure, key)
            name = f"{measure.name}.{key}" if name in found else name
            found.setdefault(name, Metric(name, measure, key, direction))
    order = {measure.name: place for place, measure in enumerate(measures)}
    return sorted(found.values(), key=lambda metric: order[metric.measure.name])


def metric_issue(name: str, measures: Sequence[Measure], trials: int) -> str | None:
    """Why a run cannot have a metric of this name, as a sentence's end; None when it can."""
    known = {metric.name: metric for metric in metrics_of(measures)}
    if name in known:
        return None
    metric, how = metric_and_reduction(name)
    if metric not in known:
        hint = did_you_mean(name, known)
        return f"is {shown(name)}; this run has {listed(known)}" + (hint and ";" + hint)
    if how != MEAN and known[metric].measure.grouped:
        return f"is {shown(name)}; {metric} takes all trials together, so none of them passes"
    if how.k > trials:
        return f"is {shown(name)}, which needs {how.k} trials; the spec has `trials: {trials}`"
    return None


def _direction(measure: Measure) -> Direction:
    return measure.metrics.get(measure.value or measure.own, "higher")


def _further(measure: Measure) -> Iterator[tuple[str, Direction]]:
    for key, direction in measure.metrics.items():
        if key not in (measure.own, measure.value):
            yield key, direction


def _named(measure: Measure, key: str) -> str:
    own, name = measure.own, measure.name
    rest = key.removeprefix(own)
    if rest != key and rest[:1] in (".", "["):
        return name + rest
    return key if "[" in key and name == own else f"{name}.{key}"
