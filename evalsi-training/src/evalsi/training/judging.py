"""What a step comes to beside its base: per metric a change and its mark, and one status."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, get_args

from evalsi.core.stats import Comparison, holm, regressed
from evalsi.core.stats.normal import normal_critical, normal_quantile
from evalsi.training.gates import RegressionGate
from evalsi.training.history import Panel, StepRecord
from evalsi.training.steps import Step

__all__ = ["LEAST_COVERAGE", "Change", "Status", "StepResult", "corrected", "result_of"]

LEAST_COVERAGE: Final = 0.95
"""The share of records that both sides must have measured, for a step to be judged."""

Status: TypeAlias = Literal[
    "ok", "underpowered", "mini", "failed", "regressed", "incomplete", "error"
]
"""From good to bad: of several that hold, the last one is a step's status."""

_BADNESS: Final[tuple[Status, ...]] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Change:
    """One metric of a step against the base's, record by record.

    Attributes:
        comparison: the paired comparison.
        regressed: whether a gate on this metric fails.
        underpowered: whether a gate tolerates less than the smallest drop that shows here.
        smallest: the true change that is found in four of five such comparisons; None: unknown.
        corrected_p: `p` corrected by Holm over all steps and gated metrics; None without a gate.
    """

    comparison: Comparison
    regressed: bool = False
    underpowered: bool = False
    smallest: float | None = None
    corrected_p: float | None = None

    @property
    def diff(self) -> float | None:
        """Checkpoint minus base, over the records that both measured."""
        return self.comparison.diff

    @property
    def paired_n(self) -> int:
        """Records that both measured."""
        return self.comparison.n

    @property
    def significant(self) -> bool:
        """Whether the interval of the change excludes 0."""
        return self.comparison.significant

    @property
    def incomplete(self) -> bool:
        """Whether too few of the records were measured on both sides."""
        return self.comparison.coverage < LEAST_COVERAGE


@dataclass(frozen=True, slots=True)
class StepResult:
    """A step, judged.

    Attributes:
        step: which.
        summaries: by metric: `n`, `mean`, `lo`, `hi`, `skipped`, `errors`, `direction`, ….
        comparisons: by metric: against the base; empty where there is no base.
        status: what it comes to.
        reasons: what brought it there, a sentence each.
        error: why nothing was measured; "" where it was.
        panel: the records that it was measured on.
    """

    step: Step
    summaries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    comparisons: Mapping[str, Change] = field(default_factory=dict)
    status: Status = "ok"
    reasons: tuple[str, ...] = ()
    error: str = ""
    panel: Panel = "full"

    @property
    def regressed(self) -> bool:
        """Whether a regression gate fails."""
        return any(change.regressed for change in self.comparisons.values())

    @property
    def passed(self) -> bool:
        """Whether it was measured on the full panel, and nothing about it fails."""
        return self.status in ("ok", "underpowered")


def result_of(
    record: StepRecord, comparisons: Mapping[str, Comparison], gates: Sequence[RegressionGate]
) -> StepResult:
    """Judges one step.

    Args:
        record: the step.
        comparisons: by metric, against the base; empty without one, and for the base itself.
        gates: each metric's tolerated drop.
    """
    changes = {
        name: _change(comparison, _direction(record, name), [g for g in gates if g.metric == name])
        for name, comparison in comparisons.items()
    }
    statuses = _of_record(record)
    if changes and not any(change.paired_n for change in changes.values()):
        statuses.append(("error", "it shares no measured record with the base"))
    else:
        statuses += _of_changes(changes, gates, record.by)
    worst = max((status for status, _ in statuses), key=_BADNESS.index, default=_BADNESS[0])
    reasons = tuple(reason for _, reason in statuses)
    return StepResult(
        record.step, record.metrics, changes, worst, reasons, record.error, record.panel
    )


def corrected(results: Sequence[StepResult], gates: Sequence[RegressionGate]) -> list[StepResult]:
    """The same results with p-values corrected over all steps and gated metrics (Holm)."""
    gated = {gate.metric for gate in gates}
    places = [
        (number, name)
        for number, result in enumerate(results)
        for name, change in result.comparisons.items()
        if name in gated and change.comparison.p is not None
    ]
    ps = holm([results[number].comparisons[name].comparison.p or 0.0 for number, name in places])
    changed = [dict(result.comparisons) for result in results]
    for (number, name), p in zip(places, ps, strict=True):
        changed[number][name] = replace(changed[number][name], corrected_p=p)
    return [replace(result, comparisons=own) for result, own in zip(results, changed, strict=True)]


def _change(comparison: Comparison, direction: Any, gates: Sequence[RegressionGate]) -> Change:
    smallest = _smallest(comparison)
    return Change(
        comparison,
        any(regressed(comparison, direction=direction, max_drop=gate.max_drop) for gate in gates),
        any(_is_blind(comparison, smallest, gate) for gate in gates),
        smallest,
    )


def _is_blind(comparison: Comparison, smallest: float | None, gate: RegressionGate) -> bool:
    """Whether a gate's drop would not show; of one record or one cluster no drop does."""
    if smallest is None:
        return comparison.n > 0
    return 0 < gate.max_drop < smallest


def _smallest(comparison: Comparison, power: float = 0.8) -> float | None:
    """The true change that shows with this power, by the width of the interval that was found."""
    if comparison.lo is None or comparison.hi is None:
        return None
    z = normal_critical(0.95)
    return (comparison.hi - comparison.lo) / 2 * (z + normal_quantile(power)) / z


def _of_record(record: StepRecord) -> list[tuple[Status, str]]:
    if record.error:
        return [("error", record.error)]
    if record.verdict == "none":
        return [("incomplete", "too many errors for a verdict")]
    noted: Status = "ok" if record.panel == "full" else "mini"
    told: list[tuple[Status, str]] = [(noted, record.note)] * bool(record.note)
    told += [
        ("failed", f"gate: {gate.get('reason')}") for gate in record.gates if not gate.get("passed")
    ]
    return told + _of_errors(record)


def _of_errors(record: StepRecord) -> list[tuple[Status, str]]:
    """Evaluators' own metrics that too many records failed to be measured in, base or not."""
    counts = {
        name: (summary.get("n", 0), summary.get("errors", 0))
        for name, summary in record.metrics.items()
        if name in record.by
    }
    return [
        ("incomplete", f"{name}: {errors} of {n + errors} records failed to be measured")
        for name, (n, errors) in counts.items()
        if n < LEAST_COVERAGE * (n + errors)
    ]


def _of_changes(
    changes: Mapping[str, Change], gates: Sequence[RegressionGate], own: Container[str]
) -> list[tuple[Status, str]]:
    """What metrics with a gate come to, and evaluators' own: those of a few records say little."""
    gated = {gate.metric for gate in gates}
    parts = [name for name in changes if name in gated or name in own]
    found = [_of_part(changes[name], name, gated=name in gated) for name in parts]
    found += [_of_change(changes[gate.metric], gate) for gate in gates if gate.metric in changes]
    return [one for one in found if one is not None]


def _of_part(change: Change, metric: str, *, gated: bool) -> tuple[Status, str] | None:
    """Whether a metric was compared on too few records; of one that nobody has, a gate's alone."""
    seen = change.comparison
    records = seen.n + seen.missing + seen.extra
    if not change.incomplete or not (records or gated):
        return None
    return "incomplete", f"{metric}: {seen.n} of {records} records compared"


def _of_change(change: Change, gate: RegressionGate) -> tuple[Status, str] | None:
    seen = change.comparison
    if change.incomplete:
        return None
    if change.regressed:
        return "regressed", f"{gate.metric}: {seen.diff:+.4g}, tolerated is {gate.max_drop:g}"
    if change.smallest is None:
        return "underpowered", f"{gate.metric}: one record, or one cluster, shows no drop"
    if change.underpowered:
        shown = f"{gate.metric}: {seen.n} records show a change of {change.smallest:.2g}"
        return "underpowered", f"{shown}, a drop of {gate.max_drop:g} is asked for"
    return None


def _direction(record: StepRecord, metric: str) -> Any:
    return record.metrics.get(metric, {}).get("direction", "higher")
