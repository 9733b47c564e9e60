"""Evaluates checkpoints of one training run, and keeps what they came to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalsi.core.errors import EvalsiError
from evalsi.core.run.document import ResultFile
from evalsi.core.run.plan import checked, work_of
from evalsi.core.run.work import Work
from evalsi.training.comparison import Pairing
from evalsi.training.curve import Curve, curve_of
from evalsi.training.gates import RegressionGate
from evalsi.training.history import History, StepRecord
from evalsi.training.identity import check_gates, identity_of_work
from evalsi.training.judging import StepResult
from evalsi.training.keeping import keep_best
from evalsi.training.measuring import measured, now
from evalsi.training.mini import (
    Mini,
    as_mini,
    below_base,
    mini_work,
    one_mini,
    reusing,
    with_mini,
)
from evalsi.training.monitoring import monitor_of, patience_of, several
from evalsi.training.names import full_name, mini_name
from evalsi.training.pins import original_of
from evalsi.training.serving import ServingStrategy
from evalsi.training.sources import Cache, Fetching, SourceError
from evalsi.training.steps import BASE, Step
from evalsi.training.stopping import Monitor
from evalsi.training.trackers.outbox import Outbox
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
        monitor: the metric by which the best is chosen, patience counted and the mini panel
            judged, as `metric[:min_delta]`, or made; by default the first gate's, or the spec's
            only one.
        patience: checkpoints in a row without an improvement after which training should stop.
        mini: records of the mini panel that decides whether a checkpoint is asked the full one.
        mini_seed: chooses them.
        cache: where checkpoints that lie in a store are downloaded to.

    Attributes:
        confirm: as given.
        outbox: what trackers are to be told.
        training_run: as given.
        patience: as given, with its metric; None: training is not stopped by a standstill.

    Raises:
        SpecError: the spec, a gate or the monitor is wrong.
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
        monitor: str | Monitor | None = None,
        patience: int | None = None,
        mini: int | None = None,
        mini_seed: int = 0,
        cache: Cache | None = None,
    ) -> None:
        self._spec = spec
        self._serving = Fetching(serving, cache or Cache())
        self._history = History(log_dir, training_run)
        self.training_run = training_run
        self.outbox = Outbox(self._history.folder)
        self._mini = None if mini is None else Mini(mini, mini_seed)
        self.confirm = confirm
        self._gates = tuple(
            gate if isinstance(gate, RegressionGate) else RegressionGate.parse(gate)
            for gate in regression
        )
        given, asked = checked(spec), self._mini is not None
        check_gates(given, self._gates, mini=asked)
        self._monitor = monitor_of(given, self._gates, monitor, mini=asked)
        if asked and self._monitor is None:
            raise several(given, "--mini decides")
        self.patience = patience_of(given, self._gates, monitor, patience, mini=asked)

    def evaluate_base(self, model: str) -> StepResult:
        """Evaluates the model that the training began with."""
        return self.evaluate(model, BASE)

    def evaluate(self, checkpoint: str | Path, step: Step) -> StepResult:
        """Evaluates a checkpoint and keeps what it came to.

        A step that is measured is neither served nor asked again. A checkpoint that cannot be
        served, or a run that fails as a whole, gives a result with an `error` and no summaries.

        Raises:
            DataError: another process writes this training run, or it is another spec's.
            SourceError: the checkpoint lies in a store, and cannot be had now; nothing is kept.
        """
        with self._history.writing():
            self.refuse_another()
            if not self.is_measured(step):
                self._history.write(*self._measured(str(checkpoint), step))
            curve = self._followed({step: str(checkpoint)})
        return next(result for result in curve.results if result.step == step)

    def measured_steps(self) -> list[Step]:
        """The steps that are there, whole."""
        return [step for step in self._history.steps() if self.is_measured(step)]

    def is_measured(self, step: Step) -> bool:
        """Whether a step is there, whole: what failed is not done.

        A step that stayed on the mini panel is done as long as there is a mini panel.
        """
        if step not in self._history:
            return False
        record = self._history.read(step)
        if record.panel == "mini" and self._mini is None:
            return False
        return not record.error and record.verdict != "none"

    def curve(self) -> Curve:
        """Every step so far against the base."""
        return curve_of(
            self._history,
            self._gates,
            confirm=self.confirm,
            patience=self.patience,
            mini=self._mini,
        )

    def history(self) -> list[StepResult]:
        """The steps so far, in order."""
        return list(self.curve().results) if self._history.steps() else []

    def catch_up(self) -> None:
        """Does what a kill kept from being done behind a step: the best, and trackers' messages.

        Raises:
            DataError: another process writes this training run.
        """
        if self._history.steps():
            with self._history.writing():
                self._followed({})

    def _followed(self, places: Mapping[Step, str]) -> Curve:
        """What follows from the steps; `places` are where checkpoints lie that were moved."""
        curve = self.curve()
        self.outbox.fill(curve)
        if self._monitor is not None:
            keep_best(self._history, curve, full_name(self._monitor.metric), places)
        return curve

    def refuse_another(self) -> None:
        """Refuses what is not this training run's, before a server is started for it.

        Raises:
            DataError: the run is of another spec, other records, evaluators or mini panel.
            SpecError: the mini panel is no smaller than the spec's own.
        """
        work = work_of(checked(self._spec))
        if self._mini is not None:
            self._mini.refuse_whole(work.size)
            one_mini([self._history.read(step) for step in self._history.steps()], self._mini)
        if self._history.is_held:
            self._history.refuse_another(identity_of_work(work))

    def _measured(self, checkpoint: str, step: Step) -> tuple[StepRecord, StepValues | None]:
        name = f"{self._history.training_run}-{step}"
        try:
            with self._serving.serve(checkpoint, name) as served:
                sets = [
                    f"target.base_url={json.dumps(served.base_url)}",
                    f"target.model={json.dumps(served.model)}",
                ]
                if served.api_key_env is not None:
                    sets.append(f"target.api_key_env={json.dumps(served.api_key_env)}")
                work = work_of(checked(self._spec, sets=sets))
                self._history.hold_to(identity_of_work(work))
                return self._asked(work, checkpoint, step)
        except EvalsiError as error:
            if error.kind not in _FAILED or isinstance(error, SourceError):
                raise
            place = original_of(checkpoint)
            return StepRecord(step, place, error=str(error), evaluated=now()), None

    def _asked(self, work: Work, checkpoint: str, step: Step) -> tuple[StepRecord, StepValues]:
        """Asks the mini panel, where there is one, and then the full one, where it is worth it."""
        few, names = self._history.mini_path(step), [gate.metric for gate in self._gates]
        names += [] if self._monitor is None else [self._monitor.metric]
        told: dict[str, Any] = {}
        if self._mini is not None and step != BASE:
            asked = measured(mini_work(work, self._mini), few, step, checkpoint, names)
            record, values = as_mini(*asked, self._mini)
            why = self._below_base(values)
            if why or record.verdict == "none":
                return replace(record, note=why), values
            note = "" if self._has_base else "without a base it was asked the full panel"
            told = {"mini": record.mini, "note": note}
        rest = reusing(work, ResultFile.of(few)) if few.exists() else work
        path = self._history.result_path(step)
        whole, values = measured(rest, path, step, checkpoint, names)
        return replace(whole, **told), values

    @property
    def _has_base(self) -> bool:
        return BASE in self._history and not self._history.read(BASE).error

    def _below_base(self, values: StepValues) -> str:
        """Why the full panel is not asked; empty where it is."""
        assert self._mini is not None
        assert self._monitor is not None
        if not self._has_base:
            return ""
        record, base = with_mini(self._history.read(BASE), self._history.values(BASE), self._mini)
        metric = mini_name(full_name(self._monitor.metric))
        change = Pairing(base).of(values, metric)
        return below_base(change, metric, record.metrics.get(metric, {}).get("direction", "higher"))


_FAILED = frozenset({"server", "engine", "sandbox", "judge"})
