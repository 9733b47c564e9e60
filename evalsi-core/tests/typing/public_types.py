"""The public types as a user's code meets them; mypy reads this file, nothing runs it.

`assert_type` states what a name is; a `type: ignore` states what is refused, and mypy's
`warn_unused_ignores` turns it into an error as soon as it is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, assert_type

from pydantic import BaseModel

from evalsi.core import (
    JSON,
    Answer,
    ComponentResult,
    Errored,
    Failure,
    Record,
    Result,
    Reward,
    RewardError,
    Score,
    Skipped,
    SpecError,
    Tools,
)
from evalsi.core.chat import Connector, Output, Request
from evalsi.core.judge import Judge, Question, Usage, Verdict
from evalsi.core.records import Rollout, record_of
from evalsi.core.reward import (
    LoadedReward,
    RemoteReward,
    RemoteServer,
    RewardFunction,
    load_reward,
)
from evalsi.core.reward.arithmetic import Rule, Total, Weighing, settle, total
from evalsi.core.run import run
from evalsi.core.run.tally import Outcome
from evalsi.core.testing import ScriptedJudge
from evalsi.core.workers import Faulted, OutOfMemory, Reply, TimedOut, Workers


def a_result_is_one_of_three(result: Result) -> float | None:
    if isinstance(result, Score):
        return assert_type(result.value, float)
    if isinstance(result, Skipped):
        assert_type(result.reason, str)
        return None
    assert_type(result, Errored)
    assert_type(result.failure, Failure)
    return None


def an_answer_may_be_a_number_a_bool_or_a_result() -> Sequence[Answer]:
    return [1.0, True, Score(0.5), Skipped("no reference"), Errored(Failure("data", "x"))]


def none_is_no_answer() -> Answer:
    return None  # type: ignore[return-value]


def a_failure_is_no_answer() -> Answer:
    return Failure("data", "x")  # type: ignore[return-value]


def workers_answer_in_four_ways(workers: Workers) -> JSON:
    answers = workers.map("pack.slow:check", [{"text": "4"}], deadline_s=2.0)
    assert_type(answers, list[Reply | TimedOut | OutOfMemory | Faulted])
    match answers[0]:
        case Reply(value):
            return value
        case TimedOut(seconds):
            return assert_type(seconds, float)
        case OutOfMemory(memory_mb):
            return assert_type(memory_mb, int)
        case Faulted(failure):
            assert_type(failure, Failure)
            return None


def who_needs_no_workers_has_none(tools: Tools) -> None:
    assert_type(tools.workers, Workers | None)


def a_reward_may_lack_a_total(reward: Reward) -> None:
    assert_type(reward.total, float | None)
    assert_type(reward["tests"], ComponentResult)
    assert_type(reward["tests"].result, Score | Skipped | Errored)
    reward.total = 1.0  # type: ignore[misc]


def a_score_takes_metrics_and_evidence_of_plain_data() -> Score:
    evidence: Mapping[str, JSON] = {"predicted": "4", "cases": [True, None, 1.5]}
    return Score(0.5, {"length": 3.0}, "half", evidence)


def evidence_is_no_object() -> Score:
    return Score(0.5, evidence=object())  # type: ignore[arg-type]


def a_rollout_is_any_mapping(rollout: Rollout) -> None:
    record = record_of({"completion": "42", "tests": [1]}, 1)
    assert_type(record, Record)
    assert_type(record.output, str)
    assert_type(record.output_tokens, int | None)
    assert_type(record_of(rollout, 2, "gold").reference, JSON)


def errors_carry_their_causes(refused: SpecError, failed: RewardError) -> None:
    assert_type(refused.issues, tuple[str, ...])
    assert_type(failed.causes, tuple[tuple[str, str, Failure], ...])


def the_arithmetic_is_typed(results: Sequence[Result]) -> list[Total]:
    rule = Rule((Weighing("format", 0.1, gate=True), Weighing("tests", 0.9)), on_error="none")
    assert_type(total(rule, results).total, float | None)
    return settle(rule, [("r1", results)])


def on_error_is_one_of_three() -> Rule:
    return Rule((), on_error="ignore")  # type: ignore[arg-type]


async def a_loaded_reward_scores_in_four_ways(rollouts: Sequence[Rollout]) -> None:
    reward = load_reward({"components": ["math-equiv"]})
    assert_type(reward, RewardFunction)
    assert_type(reward.score(rollouts), list[Reward])
    assert_type(await reward.ascore(rollouts), list[Reward])
    assert_type(reward.iter_scores(rollouts), Iterator[Reward])
    assert_type(reward(completions=["42"], answer=["42"]), list[float | None])


async def a_remote_reward_scores_in_the_same_ways(
    rollouts: Sequence[Rollout], server: RemoteServer | None
) -> None:
    assert_type(load_reward("math", server="http://localhost:5000"), RemoteReward)
    reward = assert_type(load_reward("math", server=server), LoadedReward)
    assert_type(await reward.ascore(rollouts), list[Reward])
    assert_type(reward(completions=["42"], answer=["42"]), list[float | None])


def a_spec_is_a_path_or_a_mapping() -> None:
    load_reward(["math-equiv"])  # type: ignore[call-overload]


def a_run_gives_its_outcome() -> float | None:
    outcome = run("run.yaml", out="result.json", sets=["trials=2"])
    assert_type(outcome, Outcome)
    assert_type(outcome.verdict, Literal["passed", "failed", "none"])
    return assert_type(outcome.metrics["math-equiv"].mean, float | None)


class _Politeness(BaseModel):
    politeness: int


async def a_verdict_has_the_type_of_its_question(judge: Judge) -> None:
    verdict = await judge.ask(Question("How polite?", "Hello!", _Politeness))
    assert_type(verdict, Verdict[_Politeness])
    assert_type(verdict.answer.politeness, int)
    assert_type(judge.usage, Usage)


def a_scripted_judge_is_a_judge() -> Tools:
    return Tools(judge=ScriptedJudge({"politeness": 4}))


async def a_connector_gives_outputs(connector: Connector) -> str:
    return assert_type(await connector.generate(Request("hello")), Output).text
