"""What an evaluator makes of workers that fail: a fault is no score, a timeout no lasting one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evalsi.core.engine import tools_for
from evalsi.core.evaluator import Need
from evalsi.core.results import Failure, Result, Score
from evalsi.core.testing.checks import CheckFailed
from evalsi.core.testing.evaluator_child import Step, in_child
from evalsi.core.testing.evaluator_trial import EvaluatorTrial, Trials
from evalsi.core.workers import Faulted, OutOfMemory, TimedOut, WorkerAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalsi.core.records import Record
    from evalsi.core.results import JSON

__all__ = ["WORKERS"]

WORKERS: Final = Trials()

_FAULT: Final = Faulted(Failure("evaluator", "its worker process ended by signal 11"))


@WORKERS.add("a-workers-fault-is-no-score")
def _a_workers_fault_is_no_score(trial: EvaluatorTrial) -> None:
    def attempt(step: Step) -> None:
        for number, record in enumerate(trial.examples, 1):
            step(f"on example {number}, with workers that fault")
            result = _asked(trial, record, _FAULT)
            if isinstance(result, Score):
                raise CheckFailed(
                    f"On example {number} {trial.name} scored {result.value:g} although its worker "
                    "gave a Faulted; nothing was measured: answer `Errored(answer.failure)`."
                )

    _where_it_has_workers(trial, attempt)


@WORKERS.add("a-workers-limit-is-no-lasting-score")
def _a_workers_limit_is_no_lasting_score(trial: EvaluatorTrial) -> None:
    def attempt(step: Step) -> None:
        for number, record in enumerate(trial.examples, 1):
            for limit in (TimedOut(2.0), OutOfMemory(1024)):
                kind = type(limit).__name__
                step(f"on example {number}, with workers that answer {kind}")
                result = _asked(trial, record, limit)
                if isinstance(result, Score) and result.stable:
                    raise CheckFailed(
                        f"On example {number} {trial.name} made a lasting score of a {kind}, which "
                        "may be otherwise on another machine; say `stable=False`."
                    )

    _where_it_has_workers(trial, attempt)


def _where_it_has_workers(trial: EvaluatorTrial, attempt: Callable[[Step], None]) -> None:
    if Need.WORKERS in trial.declared().needs:
        in_child(attempt, trial.deadline_s)


def _asked(trial: EvaluatorTrial, record: Record, answer: WorkerAnswer) -> Result | None:
    """The result when workers give that answer only; None when none was asked."""
    workers = _Answering(answer)
    given = trial.tools or tools_for(trial.declared().needs, None)
    tried = replace(trial, tools=replace(given, workers=workers))
    result = tried.answer(tried.instance(), record)
    return result if workers.asked else None


class _Answering:
    def __init__(self, answer: WorkerAnswer) -> None:
        self.asked = 0
        self._answer = answer

    def map(
        self,
        function: str,  # noqa: ARG002 - the tool's signature
        payloads: Sequence[JSON],
        *,
        deadline_s: float,  # noqa: ARG002
        memory_mb: int = 1024,  # noqa: ARG002
        warm_up: str = "",  # noqa: ARG002
    ) -> list[WorkerAnswer]:
        self.asked += len(payloads)
        return [self._answer] * len(payloads)
