"""What crosses the boundary to a judge: a question, a verdict, and what it has cost.

class Polite:
    needs = frozenset({Need.JUDGE})
    bounded = True
    backend = f"prompt {prompt_hash(INSTRUCTIONS, Politeness)}"

    def __init__(self, params, tools):
        self._judge = tools.judge

    async def ascore(self, record):
        content = fenced("response", record.output)
        verdict = await self._judge.ask(Question(INSTRUCTIONS, content, Politeness))
        return Score(verdict.answer.politeness / 5, stable=self._judge.stable)
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["Judge", "Question", "Usage", "Verdict", "prompt_hash"]

A = TypeVar("A", bound="BaseModel")


@dataclass(frozen=True, slots=True)
class Question(Generic[A]):
    """What a judge is asked about one record.

    Attributes:
        instructions: the evaluator's own words, the same for every record: they are hashed.
        content: what is judged, `fenced`.
        answer: the pydantic model of the answer, with `extra="forbid"`; its JSON Schema goes to
            the judge, and an answer counts only when it fits strictly.
    """

    instructions: str
    content: str
    answer: type[A]


@dataclass(frozen=True, slots=True)
class Verdict(Generic[A]):
    """What a judge said.

    Attributes:
        answer: fits the question's model.
        cached: whether nobody was asked this time.
        reasks: answers before it that did not fit.
    """

    answer: A
    cached: bool = False
    reasks: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a judge has done and cost so far.

    Attributes:
        questions: that evaluators asked, those answered from kept verdicts included.
        cached: answered from kept verdicts.
        failed: that got no verdict.
        reasks: answers that did not fit and were asked for again.
        requests: that were sent to the server, every try counted.
        input_tokens: as far as the server counts them.
        output_tokens: likewise.
        uncounted: answers of which the server did not tell the tokens.
        cost: by the prices of the judge's settings; None without prices.
    """

    questions: int = 0
    cached: int = 0
    failed: int = 0
    reasks: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    uncounted: int = 0
    cost: float | None = None


class Judge(Protocol):
    """What an evaluator with `Need.JUDGE` gets as `tools.judge`."""

    @property
    def name(self) -> str:
        """Model and settings, for provenance and cache keys; without address and key."""
        ...

    @property
    def address(self) -> str:
        """Where the judge is, for cache keys."""
        ...

    @property
    def stable(self) -> bool:
        """Whether the same question gets the same verdict, as far as settings can say so."""
        ...

    @property
    def patience_s(self) -> float:
        """Seconds that an evaluator has which asks it, where a spec names no deadline."""
        ...

    @property
    def usage(self) -> Usage:
        """What it has done so far."""
        ...

    async def ask(self, question: Question[A]) -> Verdict[A]:
        """The verdict; called many times at once, from any event loop.

        Raises:
            JudgeError: there is none. Let it through: the record then errs, it never scores.
        """
        ...


@lru_cache(maxsize=1024)
def prompt_hash(instructions: str, answer: type[BaseModel]) -> str:
    """12 hexadecimal digits that change with the instructions or the answer's schema.

    A judging evaluator states them in its `backend`, so that another prompt is another number.
    """
    text = json.dumps([instructions, schema_of(answer)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@lru_cache(maxsize=1024)
def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of an answer; shared, not to be written into."""
    return answer.model_json_schema()
