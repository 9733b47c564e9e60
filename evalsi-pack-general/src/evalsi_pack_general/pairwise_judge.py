"""Which responses to one prompt a judge prefers, asked in both orders.

Judges favour a position. Every pair is therefore asked twice, the other way round the second time,
and what each response wins is averaged: a judge that always says "the first" says nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from evalsi.core.errors import JudgeError
from evalsi.core.evaluator import Answer, Direction, Need, Tools
from evalsi.core.judge import Question, prompt_hash
from evalsi.core.results import Errored, Failure, Score, Skipped
from evalsi_pack_general.answers import answer_of
from evalsi_pack_general.judge_prompt import (
    RubricParams,
    reference_text,
    rubric_of,
    shown_to_judge,
    wants_reference,
)
from evalsi_pack_general.pairings import pairings
from evalsi_pack_general.references import NO_REFERENCE

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["PairwiseJudge", "PairwiseJudgeParams"]

_ALONE: Final = Skipped("one response alone has nothing to be compared with")
_METRICS: Final[dict[str, Direction]] = {
    "pairwise-judge": "higher",
    "pairwise-judge.consistency": "higher",
}


class PairwiseJudgeParams(RubricParams):
    """What the judge looks at, and who meets whom."""

    against: Literal["group", "reference"] = Field(
        default="group",
        description="Whether a response meets the other responses to its prompt, or the reference.",
    )
    opponents: int | None = Field(
        default=None,
        ge=2,
        multiple_of=2,
        description="Other responses that each meets; null: all. A pair costs two questions.",
    )


class Preference(BaseModel):
    """A judge's answer; the preference comes last, so that it follows from the reasons."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reasons: str = Field(description="Why, in one to three sentences.")
    better: Literal["first", "second", "neither"]


_POINTS: Final = {"first": 1.0, "second": 0.0, "neither": 0.5}


class _Game(NamedTuple):
    """What the first of a pair won in each order: 1, 0, or 0.5 for a tie."""

    straight: float
    swapped: float

    def reversed(self) -> _Game:
        """The same game from the other's side."""
        return _Game(1 - self.straight, 1 - self.swapped)


_Played: TypeAlias = _Game | JudgeError


class PairwiseJudge:
    """The share of its comparisons that a response wins, in [0, 1]; a tie is half a win.

    The metric `pairwise-judge.consistency` is the share of comparisons in which both orders had the
    same winner. Equal responses tie without a question, and one whose thinking does not end loses
    to one that ends. Skipped where there is nothing to compare with. A response with a comparison
    that the judge did not answer is an error.

    Source: Zheng et al. 2023, Judging LLM-as-a-Judge, section 3.4 (swapping positions).
    """

    Params = PairwiseJudgeParams
    needs = frozenset({Need.JUDGE})
    bounded = True
    metrics = _METRICS

    @staticmethod
    def reads(params: PairwiseJudgeParams) -> tuple[str, ...]:
        """Prompt and response, and the reference where it is shown or met."""
        hidden = params.against == "group" and wants_reference(params) == "hidden"
        return ("input", "output") if hidden else ("input", "output", "reference")

    @staticmethod
    def backend(params: PairwiseJudgeParams) -> str:
        """The digest of what the judge is asked."""
        return f"prompt {prompt_hash(_instructions(params), Preference)}"

    def __init__(self, params: PairwiseJudgeParams, tools: Tools) -> None:
        assert tools.judge is not None, "the engine hands a judge to who needs one"
        self._judge = tools.judge
        self._params = params
        self._instructions = _instructions(params)
        self._shown = "hidden" if params.against == "reference" else wants_reference(params)

    async def ascore_group(self, records: Sequence[Record]) -> Sequence[Answer]:
        """What every response to one prompt wins."""
        if self._params.against == "reference":
            return await asyncio.gather(*map(self._against_reference, records))
        if len(records) < 2:
            return [_ALONE] * len(records)
        if self._shown == "required" and not reference_text(records[0].reference):
            return [NO_REFERENCE] * len(records)
        answers = [answer_of(record.output, self._params.thinking) for record in records]
        pairs = pairings(len(records), self._params.opponents)
        played = await asyncio.gather(
            *(self._played(records[one], answers[one], answers[other]) for one, other in pairs)
        )
        games: list[list[_Played]] = [[] for _ in records]
        for (one, other), game in zip(pairs, played, strict=True):
            games[one].append(game)
            games[other].append(game if isinstance(game, JudgeError) else game.reversed())
        return [self._scored(own) for own in games]

    async def _against_reference(self, record: Record) -> Answer:
        reference = reference_text(record.reference)
        if not reference:
            return NO_REFERENCE
        answer = answer_of(record.output, self._params.thinking)
        return self._scored([await self._played(record, answer, reference)])

    async def _played(self, record: Record, one: str | None, other: str | None) -> _Played:
        if one is None or other is None or one.strip() == other.strip():
            won = 0.5 + ((one is not None) - (other is not None)) / 2
            return _Game(won, won)
        try:
            straight, swapped = await asyncio.gather(
                self._asked(record, one, other), self._asked(record, other, one)
            )
        except JudgeError as error:
            return error
        return _Game(straight, 1 - swapped)

    async def _asked(self, record: Record, first: str, second: str) -> float:
        reference = "" if self._shown == "hidden" else reference_text(record.reference)
        parts = [("prompt", record.input)] if record.input else []
        parts += [("reference", reference)] if reference else []
        parts += [("first-response", first), ("second-response", second)]
        content = "\n\n".join(shown_to_judge(label, text, self._params) for label, text in parts)
        verdict = await self._judge.ask(Question(self._instructions, content, Preference))
        return _POINTS[verdict.answer.better]

    def _scored(self, games: Sequence[_Played]) -> Answer:
        failed = next((game for game in games if isinstance(game, JudgeError)), None)
        if failed is not None:
            return Errored(Failure.of(failed))
        played = [game for game in games if isinstance(game, _Game)]
        value = fmean(won for game in played for won in game)
        consistency = fmean(game.straight == game.swapped for game in played)
        return Score(
            value,
            {"pairwise-judge.consistency": consistency},
            "won" if value > 0.5 else "lost" if value < 0.5 else "tied",
            {"comparisons": len(played), "won": [list(game) for game in played]},
            stable=self._judge.stable,
        )


def _instructions(params: PairwiseJudgeParams) -> str:
    return (
        "You compare two responses to a prompt, by one criterion and nothing else.\n\nCriterion: "
        f"{rubric_of(params).criterion}\n\nSay which response is better by it: first, second, or "
        "neither. Their order means nothing, nor does their length, unless the criterion speaks of "
        "it. Give your reasons first."
    )
