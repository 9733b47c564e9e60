"""A judge without a model: says what a test tells it to say, within the question's schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from evalsi.core.errors import JudgeError
from evalsi.core.judge import Question, Usage, Verdict

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["ScriptedJudge"]

A = TypeVar("A", bound="BaseModel")

Script: TypeAlias = Callable[[Question[Any]], Mapping[str, Any] | JudgeError]


class ScriptedJudge:
    """Keeps the protocol `evalsi.core.judge.Judge`.

    Args:
        answers: the answer to every question; or a function that gives the answer to one, or the
            `JudgeError` to raise. An answer that does not fit its question's model is a bug of
            the test, and raises pydantic's `ValidationError`.
        stable: whether it says of itself that it is.

    Attributes:
        asked: every question so far.
    """

    name = "scripted judge"
    address = ""
    patience_s = 60.0

    def __init__(self, answers: Mapping[str, Any] | Script, *, stable: bool = True) -> None:
        self._answers = answers
        self.stable = stable
        self.asked: list[Question[Any]] = []

    @property
    def usage(self) -> Usage:
        """The number of its questions."""
        return Usage(questions=len(self.asked))

    async def ask(self, question: Question[A]) -> Verdict[A]:
        """The scripted answer."""
        self.asked.append(question)
        said = self._answers(question) if callable(self._answers) else self._answers
        if isinstance(said, JudgeError):
            raise said
        return Verdict(question.answer.model_validate(said))
