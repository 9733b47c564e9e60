"""Evaluates checkpoints of one training run, and keeps what they came to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from evalsi.core.errors import EvalsiError
from evalsi.core.run.document import ResultFile
from evalsi.core.run.measures import measure_of
from evalsi.core.run.plan import checked, work_of
from evalsi.core.run.runner import perform
from evalsi.core.run.tally import Outcome
from evalsi.core.run.values import Values
from evalsi.core.run.work import Work
from evalsi.training.curve import Curve, curve_of
from evalsi.training.gates import RegressionGate
from evalsi.training.history import History, StepRecord
from evalsi.training.identity import check_gates, identity_of_work
from evalsi.training.judging import StepResult
from evalsi.training.pins import original_of
from evalsi.training.serving import ServingStrategy
from evalsi.training.steps import BASE, Step
from evalsi.training.values import StepValues

__all__ = ["CheckpointEvaluator"]


class CheckpointEvaluator:
    """Evaluates the checkpoints of one training run with one EvalRun.

    A new object with the same arguments knows what an earlier one measured.

    Args:
        spec: the EvalRun: a file, or a mapping; its target is pointed at the served checkpoint.
        training_run: the name under which steps are kept and compared.
        serving: how a checkpoint becomes a model that answers.
        log_dir: where training runs are kept.
        regression: gates as `metric[:max_drop]`, or made.
        confirm: regressions in a row that make a verdict.

    Attributes:
        confirm: as given.

    Raises:
        SpecError: the spec or a gate is wrong.
    """

    def __init__(  # noqa: PLR0913 - keyword-only options
        self,
        spec: str | Path | Mapping[str, Any],
        *,
        training_run: str,
        serving: ServingStrategy,
        log_dir: str | Path = "evalsi-training",
        regression: Iterable[str | RegressionGate] = (),
        confirm: int = 1,
    ) -> None:
        self._spec = spec
        self._serving = serving
        self._history = History(log_dir, training_run)
        self.confirm = confirm
        self._gates = tuple(
            gate if isinstance(gate, RegressionGate) else RegressionGate.parse(gate)
            for gate in regression
        )
        check_gates(checked(spec), self._gates)

    def evaluate_base(self, model: str) -> StepResult:
        """Evaluates the model that the training began with."""
        return self.evaluate(model, BASE)

    def evaluate(self, checkpoint: str | Path, step: Step) -> StepResult:
        """Evaluates a checkpoint and keeps what it came to; what is measured is not asked again.

        A checkpoint that cannot be served, or a run that fails as a whole, gives a result with an
        `error` and no summaries.

        Raises:
            DataError: another process writes this training run, or it is another spec's.
        """
        with self._history.writing():
            record, values = self._measured(str(checkpoint), step)
            self._history.write(record, values)
        return next(result for result in self.curve().results if result.step == step)

    def measured_steps(self) -> list[Step]:
        """The steps that are there, whole."""
        return [step for step in self._history.steps() if self.is_measured(step)]

    def is_measured(self, step: Step) -> bool:
        """Whether a step is there, whole: what failed is not done."""
        if step not in self._history:
            return False
        record = self._history.read(step)
        return not record.error and record.verdict != "none"

    def curve(self) -> Curve:
        """Every step so far against the base."""
        return curve_of(self._history, self._gates, confirm=self.confirm)

    def history(self) -> list[StepResult]:
        """The steps so far, in order."""
        return list(self.curve().results) if self._history.steps() else []

    def _measured(self, checkpoint: str, step: Step) -> tuple[StepRecord, StepValues | None]:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        name = f"{self._history.training_run}-{step}"
        try:
            with self._serving.serve(checkpoint, name) as served:
                sets = [
                    f"target.base_url={json.dumps(served.base_url)}",
                    f"target.model={json.dumps(served.model)}",
                ]
                work = work_of(checked(self._spec, sets=sets))
                self._history.hold_to(identity_of_work(work))
                return self._run(work, checkpoint, step, now)
        except EvalsiError as error:
            if error.kind not in _FAILED:
                raise
            place = original_of(checkpoint)
            return StepRecord(step, place, error=str(error), evaluated=now), None

    def _run(
        self, work: Work, checkpoint: str, step: Step, now: str
    ) -> tuple[StepRecord, StepValues]:
        path = self._history.result_path(step)
        measures = [measure_of(bound) for bound in work.bounds]
        asked = [gate.metric for gate in self._gates] + [gate.metric for gate in work.gates]
        outcome = perform(work, path)
        # Metrics that no record reports have no name in the outcome; those asked for always do.
        values = Values(measures, dict.fromkeys([*outcome.metrics, *asked]), work.trials)
        result = ResultFile.of(path)
        for row in result.rows():
            values.take(row)
        record = _record(outcome, work, checkpoint, step, now, result.head)
        return record, _values(values)


_FAILED = frozenset({"server", "engine", "sandbox", "judge"})


def _record(  # noqa: PLR0913, PLR0917 - a record's fields
    outcome: Outcome,
    work: Work,
    checkpoint: str,
    step: Step,
    now: str,
    head: Mapping[str, Any],
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
        evaluated=now,
        by=head["evaluators"],
        target=head["target"],
    )


def _values(values: Values) -> StepValues:
    columns = {name: np.array(column) for name, column in values.columns.items()}
    clusters = tuple(values.clusters) if any(values.clusters) else ()
    return StepValues(tuple(values.ids), columns, clusters)
