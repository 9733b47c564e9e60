"""What an evaluator makes of its judge: a failed one is no score, a sampled one no lasting one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from evalsi.core.errors import JudgeError
from evalsi.core.evaluator import Need, Tools
from evalsi.core.results import Errored, Score
from evalsi.core.testing.checks import CheckFailed
from evalsi.core.testing.evaluator_child import Step, in_child
from evalsi.core.testing.evaluator_trial import EvaluatorTrial, Trials, require
from evalsi.core.testing.judge import ScriptedJudge

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from evalsi.core.judge import Judge, Question, Usage, Verdict

__all__ = ["JUDGES"]

JUDGES: Final = Trials()

A = TypeVar("A", bound="BaseModel")


@JUDGES.add("a-judging-evaluator-says-its-prompt")
def _says_its_prompt(trial: EvaluatorTrial) -> None:
    says = trial.declared()
    if Need.JUDGE not in says.needs:
        return
    require(
        says.bounded and trial.entry().startswith("a"),
        f"{trial.name} asks a judge; it must be async (ascore…) and `bounded`, so that it is "
        "asked from the engine's loop.",
    )
    require(
        says.backend,
        f"{trial.name} asks a judge, yet its `backend` is empty; state prompt_hash(…) there, so "
        "that another prompt is another number.",
    )


@JUDGES.add("a-failed-judge-is-no-score")
def _a_failed_judge_is_no_score(trial: EvaluatorTrial) -> None:
    def attempt(step: Step) -> None:
        judge = ScriptedJudge(lambda _: JudgeError("it fell silent"))
        tried = replace(trial, tools=replace(trial.tools or Tools(), judge=judge))
        for number, record in enumerate(trial.examples, 1):
            step(f"on example {number}, with a judge that fails")
            result = tried.answer(tried.instance(), record)
            if not judge.asked:
                continue
            judge.asked.clear()
            if not isinstance(result, Errored) or result.failure.kind != "judge":
                raise CheckFailed(
                    f"On example {number} {trial.name} made {result} of a JudgeError; nothing was "
                    "measured: let it through."
                )

    _where_it_asks(trial, attempt)


@JUDGES.add("a-sampled-judge-is-no-lasting-score")
def _a_sampled_judge_is_no_lasting_score(trial: EvaluatorTrial) -> None:
    given = trial.tools.judge if trial.tools else None
    if given is None:
        return

    def attempt(step: Step) -> None:
        judge = _Sampled(given)
        tried = replace(trial, tools=replace(trial.tools or Tools(), judge=judge))
        for number, record in enumerate(trial.examples, 1):
            step(f"on example {number}, with a sampled judge")
            judge.asked = 0
            result = tried.answer(tried.instance(), record)
            if judge.asked and isinstance(result, Score) and result.stable:
                raise CheckFailed(
                    f"On example {number} {trial.name} made a lasting score of a sampled judge, "
                    "which may say otherwise next time; give `stable=tools.judge.stable`."
                )

    _where_it_asks(trial, attempt)


def _where_it_asks(trial: EvaluatorTrial, attempt: Callable[[Step], None]) -> None:
    if Need.JUDGE in trial.declared().needs:
        in_child(attempt, trial.deadline_s)


@dataclass(slots=True)
class _Sampled:
    """The trial's own judge, which says of itself that it is sampled."""

    judge: Judge
    stable: bool = False
    asked: int = 0

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def address(self) -> str:
        return self.judge.address

    @property
    def patience_s(self) -> float:
        return self.judge.patience_s

    @property
    def usage(self) -> Usage:
        return self.judge.usage

    async def ask(self, question: Question[A]) -> Verdict[A]:
        self.asked += 1
        return await self.judge.ask(question)
