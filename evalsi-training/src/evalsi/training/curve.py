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
from evalsi.training.kept import Best, read_best
from evalsi.training.mini import Mini, one_mini, with_mini
from evalsi.training.names import is_mini, mini_name
from evalsi.training.steps import BASE
from evalsi.training.stopping import Patience, regressed_in_a_row, stall_of, stop_reason

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
        patience: how long a metric may go without improving; None: for ever.
        best: the best checkpoint, as it is kept; None while none is.
    """

    training_run: str
    metrics: tuple[str, ...]
    results: tuple[StepResult, ...]
    gates: tuple[RegressionGate, ...] = ()
    confirm: int = 1
    patience: Patience | None = None
    best: Best | None = None

    @property
    def latest(self) -> StepResult | None:
        """The last step that is no base."""
        steps = [result for result in self.results if result.step != BASE]
        return steps[-1] if steps else None

    @property
    def regressed(self) -> bool:
        """Whether the last `confirm` steps that say something of a metric all regressed in it."""
        return regressed_in_a_row(self.results, self.confirm)

    @property
    def stall(self) -> str:
        """How patience ran out, as a sentence; empty while it has not."""
        return "" if self.patience is None else stall_of(self.results, self.patience)

    @property
    def stop_reason(self) -> str:
        """Why training should stop, in a sentence; empty while it should go on."""
        return stop_reason(self.results, self.confirm, self.patience)


def curve_of(  # noqa: PLR0913 - keyword-only options
    history: History,
    gates: Sequence[RegressionGate] = (),
    *,
    metrics: Sequence[str] = (),
    confirm: int = 1,
    patience: Patience | None = None,
    mini: Mini | None = None,
    confidence: float = 0.95,
) -> Curve:
    """Compares every step with the base; a step's values are held one at a time.

    Args:
        history: the training run.
        gates: tolerated drops.
        metrics: the columns; by default all that the steps report.
        confirm: regressions in a row that make a verdict.
        patience: how long a metric may go without improving.
        mini: the mini panel; by default the one that a step was asked.
        confidence: of the intervals.

    Raises:
        DataError: there is no step, a metric is unknown, or there are two mini panels.
    """
    records = [history.read(step) for step in history.steps()]
    if not records:
        raise DataError(
            f"{history.folder} holds no step; evaluate one with `evalsi checkpoints eval`"
        )
    mini = one_mini(records, mini)
    names, known = (_names(records, asked, gates, mini) for asked in (metrics, ()))
    base = next((r for r in records if r.step == BASE and not r.error), None)
    trials = max(record.trials for record in records)
    pairing = None
    if base is not None:
        values = history.values(BASE)
        values = values if mini is None else with_mini(base, values, mini)[1]
        pairing = Pairing(values, trials=trials, confidence=confidence)
    judged = corrected(
        [_judged(history, record, pairing, known, gates, mini) for record in records], gates
    )
    return Curve(
        history.training_run,
        names,
        tuple(judged),
        tuple(gates),
        confirm,
        patience,
        read_best(history.folder),
    )


def _judged(  # noqa: PLR0913, PLR0917 - what a step is judged by
    history: History,
    record: StepRecord,
    pairing: Pairing | None,
    names: Sequence[str],
    gates: Sequence[RegressionGate],
    mini: Mini | None,
) -> StepResult:
    if record.error or (pairing is None and mini is None):
        return result_of(record, {}, gates)
    values = history.values(record.step)
    if mini is not None:
        record, values = with_mini(record, values, mini)
    compared: dict[str, Comparison] = {}
    if pairing is not None and record.step != BASE:
        told = [name for name in names if record.panel == "full" or is_mini(name)]
        compared = {name: pairing.of(values, name) for name in told}
    return result_of(record, compared, gates)


def _names(
    records: Sequence[StepRecord],
    asked: Sequence[str],
    gates: Sequence[RegressionGate],
    mini: Mini | None,
) -> tuple[str, ...]:
    """The columns: as asked, or what the steps report, that of the mini panel behind."""
    full = [name for record in records for name in record.metrics if not is_mini(name)]
    few = [name for record in records for name in record.metrics if is_mini(name)]
    known = list(dict.fromkeys([*full, *(map(mini_name, full) if mini else ()), *few]))
    for name in (*asked, *(gate.metric for gate in gates)):
        if known and name not in known:
            raise DataError(f'no step reports "{name}"; there are {", ".join(known)}')
    chosen = asked or known
    return tuple(dict.fromkeys([*chosen, *(gate.metric for gate in gates)]))
