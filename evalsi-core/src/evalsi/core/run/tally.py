"""What a run comes to: metrics, gates, how much of it failed, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

from evalsi.core.chat import Output
from evalsi.core.results import JSON, Errored
from evalsi.core.run.breaker import NOT_MEASURED
from evalsi.core.run.gates import GateResult, MetricGate, judge_gate
from evalsi.core.run.measures import Measure
from evalsi.core.run.results import RecordResult
from evalsi.core.run.sameness import Sameness
from evalsi.core.run.summary import MetricSummary, Summary

__all__ = ["Outcome", "Tally", "Verdict"]

_MOST_CAUSES: Final = 64
_LONGEST_CAUSE: Final = 500
_NOTHING: Final[Mapping[str, JSON]] = {}

Verdict: TypeAlias = Literal["passed", "failed", "none"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run in numbers.

    Attributes:
        name: the run's name.
        metrics: the metrics by name, in the order of the spec.
        gates: what each gate of the spec came to.
        outputs: counts of outputs: `asked`, `errors`, `empty`, `truncated`, and their tokens;
            of a run that was stopped `unasked` too, which is not among the others.
        error_rate: the share of errors of that evaluator which has most.
        max_error_rate: above it there is no verdict.
        cause: the commonest failure in a sentence; empty where nothing failed.
        warnings: what makes some of these numbers say less than they seem to, a sentence each.
        stopped: why the run was stopped before its end; empty where it was not.
    """

    name: str
    metrics: dict[str, MetricSummary]
    gates: list[GateResult]
    outputs: dict[str, int]
    error_rate: float
    max_error_rate: float
    cause: str = ""
    warnings: tuple[str, ...] = ()
    stopped: str = ""

    @property
    def verdict(self) -> Verdict:
        """`none` where too much failed to say anything; without gates a run passes."""
        if self.error_rate > self.max_error_rate:
            return "none"
        return "passed" if all(gate.passed for gate in self.gates) else "failed"

    def row(self) -> dict[str, Any]:
        """As plain data, the name apart; without a verdict a gate has neither passed nor failed."""
        unsure = {"passed": None} if self.verdict == "none" else {}
        return {
            "metrics": {name: _metric_row(metric) for name, metric in self.metrics.items()},
            "gates": [asdict(gate) | unsure for gate in self.gates],
            "outputs": self.outputs,
            "error_rate": self.error_rate,
            "max_error_rate": self.max_error_rate,
            "verdict": self.verdict,
            "warnings": list(self.warnings),
            **({"stopped": self.stopped} if self.stopped else {}),
        }


class Tally:
    """Takes in results, record by record; keeps numbers only.

    Args:
        measures: what the evaluators report.
        trials: outputs of each record.
        gates: what metrics must reach.
    """

    def __init__(
        self, measures: Sequence[Measure], trials: int = 1, gates: Sequence[MetricGate] = ()
    ) -> None:
        self._gates = gates
        self._summary = Summary(measures, trials=trials, asked=[gate.metric for gate in gates])
        self._sameness = Sameness()
        self._names = [measure.name for measure in measures]
        self._errors: Counter[str] = Counter()
        self._causes: Counter[str] = Counter()
        self._outputs = Counter(
            dict.fromkeys(
                ("asked", "errors", "empty", "truncated", "input_tokens", "output_tokens"), 0
            )
        )

    def add(
        self,
        rows: Sequence[RecordResult],
        cluster: str | None = None,
        metadata: Mapping[str, JSON] = _NOTHING,
    ) -> None:
        """Takes in one record with all its trials, its cluster and its metadata."""
        self._summary.add(rows, cluster=cluster, metadata=metadata)
        self._sameness.add(rows)
        for row in rows:
            self._count(row)
            for name in self._names:
                result = row.results[name]
                if isinstance(result, Errored):
                    self._errors[name] += 1
                    if result != NOT_MEASURED:
                        self._note(str(result.failure)[:_LONGEST_CAUSE])

    def _note(self, cause: str) -> None:
        if cause in self._causes or len(self._causes) < _MOST_CAUSES:
            self._causes[cause] += 1

    def _count(self, row: RecordResult) -> None:
        counts, output = self._outputs, row.output
        if output == NOT_MEASURED:
            counts["unasked"] += 1
            return
        counts["asked"] += 1
        if isinstance(output, Output):
            counts["empty"] += row.empty
            counts["truncated"] += row.truncated
            counts["input_tokens"] += output.input_tokens or 0
            counts["output_tokens"] += output.output_tokens or 0
        else:
            counts["errors"] += 1

    def outcome(self, name: str, max_error_rate: float, stopped: str = "") -> Outcome:
        """What it comes to so far."""
        metrics = self._summary.metrics()
        size = self._outputs["asked"] + self._outputs["unasked"]
        return Outcome(
            name,
            metrics,
            [judge_gate(gate, metrics) for gate in self._gates],
            dict(self._outputs),
            max(self._errors.values(), default=0) / size if size else 0.0,
            max_error_rate,
            next((cause for cause, _ in self._causes.most_common(1)), ""),
            self._sameness.warnings(),
            stopped,
        )


def _metric_row(metric: MetricSummary) -> dict[str, Any]:
    row = asdict(metric)
    del row["name"]
    return row
