"""The learning curve: every step of a training run against its base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalsi.core.errors import DataError
from evalsi.core.stats import Comparison
from evalsi.training.comparison import Pairing
from evalsi.training.gates import RegressionGate
from evalsi.training.history import History, StepRecord
from evalsi.training.judging import StepResult, corrected, result_of
from evalsi.training.steps import BASE

__all__ = ["Curve", "curve_of"]


@dataclass(frozen=True, slots=True)
class Curve:
    """Steps in order, the base first where there is one.

    Attributes:
        training_run: the run's name.
        metrics: the metrics' names, as columns.
        results: the steps.
        gates: what they were held to.
        confirm: regressions in a row, of one metric, that make a verdict.
    """

    training_run: str
    metrics: tuple[str, ...]
    results: tuple[StepResult, ...]
    gates: tuple[RegressionGate, ...] = ()
    confirm: int = 1

    @property
    def latest(self) -> StepResult | None:
        """The last step that is no base."""
        steps = [result for result in self.results if result.step != BASE]
        return steps[-1] if steps else None

    @property
    def regressed(self) -> bool:
        """Whether the last `confirm` steps that were measured all regressed in one metric."""
        measured = [r for r in self.results if r.step != BASE and not r.error][-self.confirm :]
        if len(measured) < self.confirm:
            return False
        return any(
            all(name in r.comparisons and r.comparisons[name].regressed for r in measured)
            for name in {gate.metric for gate in self.gates}
        )


def curve_of(
    history: History,
    gates: Sequence[RegressionGate] = (),
    *,
    metrics: Sequence[str] = (),
    confirm: int = 1,
    confidence: float = 0.95,
) -> Curve:
    """Compares every step with the base; a step's values are held one at a time.

    Args:
        history: the training run.
        gates: tolerated drops.
        metrics: the columns; by default all that the steps report.
        confirm: regressions in a row that make a verdict.
        confidence: of the intervals.

    Raises:
        DataError: there is no step, or a metric is unknown.
    """
    records = [history.read(step) for step in history.steps()]
    if not records:
        raise DataError(
            f"{history.folder} holds no step; evaluate one with `evalsi checkpoints eval`"
        )
    names = _names(records, metrics, gates)
    base = next((r for r in records if r.step == BASE and not r.error), None)
    trials = max(record.trials for record in records)
    pairing = None
    if base is not None:
        pairing = Pairing(history.values(BASE), trials=trials, confidence=confidence)
    results = [
        result_of(record, _compared(history, record, pairing, names), gates) for record in records
    ]
    judged = tuple(corrected(results, gates))
    return Curve(history.training_run, names, judged, tuple(gates), confirm)


def _compared(
    history: History, record: StepRecord, pairing: Pairing | None, names: Sequence[str]
) -> dict[str, Comparison]:
    if pairing is None or record.step == BASE or record.error:
        return {}
    values = history.values(record.step)
    return {name: pairing.of(values, name) for name in names}


def _names(
    records: Sequence[StepRecord], asked: Sequence[str], gates: Sequence[RegressionGate]
) -> tuple[str, ...]:
    known = list(dict.fromkeys(name for record in records for name in record.metrics))
    for name in (*asked, *(gate.metric for gate in gates)):
        if known and name not in known:
            raise DataError(f'no step reports "{name}"; there are {", ".join(known)}')
    chosen = asked or known
    return tuple(dict.fromkeys([*chosen, *(gate.metric for gate in gates)]))
