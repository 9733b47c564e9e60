"""How good a response is in the eyes of a judge, by one rubric."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, Field, create_model

from evalsi.core.evaluator import Answer, Direction, Need, Tools
from evalsi.core.judge import Question, prompt_hash
from evalsi.core.results import Score
from evalsi_pack_general.answers import UNCLOSED, answer_of
from evalsi_pack_general.judge_prompt import (
    RubricParams,
    reference_text,
    rubric_of,
    shown_to_judge,
    wants_reference,
)
from evalsi_pack_general.references import NO_REFERENCE

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["LlmJudge", "LlmJudgeParams"]

_NO_ANSWER: Final = Score(0.0, reason=UNCLOSED)
_METRICS: Final[dict[str, Direction]] = {"llm-judge": "higher", "llm-judge.grade": "higher"}


class LlmJudgeParams(RubricParams):
    """What the judge looks at, and how it grades."""

    scale: int = Field(default=5, ge=2, le=10, description="The best grade; the worst is 1.")
    threshold: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Score from which the response passes with 1, else 0; null: the score itself.",
    )


class Grade(BaseModel):
    """A judge's answer; the grade comes last, so that it follows from the reasons."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reasons: str = Field(description="Why, in one to three sentences.")
    grade: int


class LlmJudge:
    """The judge's grade, 1 as 0 and the best as 1, evenly between; or whether it passes.

    Skipped when the rubric needs a reference and the record has none. A judge that gives no valid
    answer is an error, never a number. A response that never came, because thinking did not end,
    scores 0 without a question.
    """

    Params = LlmJudgeParams
    needs = frozenset({Need.JUDGE})
    bounded = True
    metrics = _METRICS

    @staticmethod
    def reads(params: LlmJudgeParams) -> tuple[str, ...]:
        """Prompt and response, and the reference where the judge sees it."""
        hidden = wants_reference(params) == "hidden"
        return ("input", "output") if hidden else ("input", "output", "reference")

    @staticmethod
    def backend(params: LlmJudgeParams) -> str:
        """The digest of what the judge is asked."""
        return f"prompt {prompt_hash(_instructions(params), _grade(params.scale))}"

    def __init__(self, params: LlmJudgeParams, tools: Tools) -> None:
        assert tools.judge is not None, "the engine hands a judge to who needs one"
        self._judge = tools.judge
        self._params = params
        self._instructions = _instructions(params)
        self._reference = wants_reference(params)

    async def ascore(self, record: Record) -> Answer:
        """The grade of one response; raises `JudgeError` when the judge gives none."""
        shown = "" if self._reference == "hidden" else reference_text(record.reference)
        if self._reference == "required" and not shown:
            return NO_REFERENCE
        answer = answer_of(record.output, self._params.thinking)
        if answer is None:
            return _NO_ANSWER
        content = self._content(record.input, answer, shown)
        question = Question(self._instructions, content, _grade(self._params.scale))
        verdict = await self._judge.ask(question)
        return self._scored(verdict.answer)

    def _content(self, prompt: str, answer: str, reference: str) -> str:
        parts = [("prompt", prompt), ("reference", reference), ("response", answer)]
        kept = [(label, text) for label, text in parts if text or label == "response"]
        return "\n\n".join(shown_to_judge(label, text, self._params) for label, text in kept)

    def _scored(self, given: Grade) -> Score:
        value = (given.grade - 1) / (self._params.scale - 1)
        threshold = self._params.threshold
        return Score(
            value if threshold is None else float(value >= threshold),
            {"llm-judge.grade": float(given.grade)},
            f"grade-{given.grade}",
            {"grade": given.grade, "of": self._params.scale, "reasons": given.reasons},
            stable=self._judge.stable,
        )


def _instructions(params: LlmJudgeParams) -> str:
    rubric = rubric_of(params)
    return (
        "You grade the response of a language model to a prompt, by one criterion and nothing "
        f"else.\n\nCriterion: {rubric.criterion}\n\nGrades are whole numbers from 1 to "
        f"{params.scale}. 1: {rubric.worst}. {params.scale}: {rubric.best}. The grades between "
        "are evenly spaced. Give your reasons first, then the grade."
    )


@functools.cache
def _grade(scale: int) -> type[Grade]:
    grade: Any = (int, Field(ge=1, le=scale, description=f"1 is worst, {scale} is best."))
    return create_model("Grade", __base__=Grade, grade=grade)
