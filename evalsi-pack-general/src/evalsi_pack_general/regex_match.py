"""Whether a regular expression matches the answer, in time that no text can stretch."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, Self

from pydantic import Field, model_validator

from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import JSON, Errored, Score
from evalsi.core.workers import Faulted, Reply, TimedOut, WorkerAnswer
from evalsi_pack_general.answers import UNCLOSED, AnswerParams, answer_of, excerpt
from evalsi_pack_general.linear_pattern import LinearPattern, linear_pattern

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["RegexMatch", "RegexMatchParams"]

_NO_ANSWER: Final = Score(0.0, reason=UNCLOSED)
_TOO_SLOW: Final = Score(0.0, reason="timeout", stable=False)
_TOO_BIG: Final = Score(0.0, reason="memory", stable=False)
_WORKERS: Final = frozenset({Need.WORKERS})
_NONE: Final = frozenset[Need]()


class RegexMatchParams(AnswerParams):
    """What must match, and what matches it."""

    pattern: str = Field(min_length=1, max_length=10_000, description="The regular expression.")
    match: Literal["anywhere", "whole"] = Field(
        default="anywhere",
        description="Whether a part of the answer may match, or all of it, white space at its "
        "ends left out.",
    )
    ignore_case: bool = Field(default=False, description="Case does not count.")
    negate: bool = Field(
        default=False, description="Score 1 where it does not match, and 0 where it does."
    )
    engine: Literal["re2", "python"] = Field(
        default="re2",
        description="`re2` takes linear time; `python` knows look-around and backreferences, and "
        "runs in a worker process that is killed after `deadline_s`.",
    )
    deadline_s: float = Field(
        default=2.0, gt=0, le=60, description="Seconds that `python` may take on one completion."
    )

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        if self.engine == "re2":
            try:
                linear_pattern(self.pattern, ignore_case=self.ignore_case)
            except ValueError as error:
                raise ValueError(f"{error}; `engine: python` may know it") from error
            return self
        try:
            re.compile(self.pattern)
        except (re.error, RecursionError, OverflowError) as error:
            shown = self.pattern[:80]
            raise ValueError(f"{shown!r} is not a regular expression: {error}") from error
        return self


class RegexMatch:
    """1 when the pattern matches the answer, else 0; the evidence is what matched.

    A match of `engine: python` that takes too long, or too much memory, scores 0 with reason
    `timeout` or `memory`, not to be relied on. An answer that never came, because thinking did not
    end, scores 0 in any case.
    """

    Params = RegexMatchParams
    reads = ("output",)
    bounded = True

    @staticmethod
    def needs(params: RegexMatchParams) -> frozenset[Need]:
        """Workers, for Python's own engine."""
        return _WORKERS if params.engine == "python" else _NONE

    def __init__(self, params: RegexMatchParams, tools: Tools) -> None:
        self._params = params
        self._workers = tools.workers
        # Within the engine's deadline, so that a match that is too slow is a verdict, not an error.
        engine_s = math.inf if tools.deadline_s is None else tools.deadline_s
        self._deadline_s = min(params.deadline_s, 0.8 * engine_s)
        self._linear: LinearPattern | None = None
        if params.engine == "re2":
            self._linear = linear_pattern(params.pattern, ignore_case=params.ignore_case)

    def score_batch(self, records: Sequence[Record]) -> Sequence[Answer]:
        """The verdicts, in order."""
        answers = [answer_of(record.output, self._params.thinking) for record in records]
        whole = self._params.match == "whole"
        texts = [text.strip() if whole else text for text in answers if text is not None]
        found = iter(self._found(texts, whole=whole))
        return [_NO_ANSWER if answer is None else self._verdict(next(found)) for answer in answers]

    def _found(self, texts: list[str], *, whole: bool) -> Sequence[WorkerAnswer]:
        if self._linear is not None:
            return [Reply(self._linear.search(text, whole=whole)) for text in texts]
        assert self._workers is not None, "the engine hands workers to who needs them"
        flags = re.IGNORECASE if self._params.ignore_case else 0
        question: dict[str, JSON] = {
            "pattern": self._params.pattern,
            "flags": int(flags),
            "whole": whole,
        }
        return self._workers.map(
            "evalsi_pack_general.regex_worker:matched",
            [question | {"text": text} for text in texts],
            deadline_s=self._deadline_s,
        )

    def _verdict(self, found: WorkerAnswer) -> Answer:
        if isinstance(found, Faulted):
            return Errored(found.failure)
        if not isinstance(found, Reply):
            return _TOO_SLOW if isinstance(found, TimedOut) else _TOO_BIG
        matched = found.value
        passes = (matched is not None) != self._params.negate
        if not isinstance(matched, str):
            return Score(float(passes), reason="no-match")
        return Score(float(passes), reason="match", evidence={"matched": excerpt(matched)})
