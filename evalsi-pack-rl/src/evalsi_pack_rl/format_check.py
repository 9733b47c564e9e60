"""Whether a completion has the asked-for layout: a pattern over all of it, and tags in pairs."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import Errored, Score
from evalsi.core.workers import Faulted, Reply, TimedOut
from evalsi_pack_rl.linear import linear_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalsi.core.records import Record
    from evalsi.core.workers import WorkerAnswer

__all__ = ["FormatCheck", "FormatCheckParams"]

LAYOUT: Final = r"(?s)\s*<think>.*</think>\s*<answer>.*</answer>\s*"

_PASS: Final = Score(1.0)
_NO_MATCH: Final = Score(0.0, reason="the completion does not match the pattern")
_TIMEOUT: Final = Score(0.0, reason="timeout", stable=False)
_MEMORY: Final = Score(0.0, reason="memory", stable=False)
_WORKERS: Final = frozenset({Need.WORKERS})
_NONE: Final = frozenset[Need]()


def _valid(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        place = "" if error.pos is None else f" at position {error.pos}"
        raise ValueError(f"{pattern!r} is not a regular expression: {error.msg}{place}") from error
    except (RecursionError, OverflowError) as error:
        raise ValueError(f"{pattern[:80]!r} is no usable regular expression: {error}") from error
    return pattern


Tag = Annotated[str, StringConstraints(pattern=r"^[^<>/\s]+$")]


class FormatCheckParams(BaseModel):
    """The layout that is asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pattern: Annotated[str, AfterValidator(_valid)] | None = Field(
        default=LAYOUT,
        description="Regular expression of Python's `re` that matches the whole completion.",
    )
    tags: tuple[Tag, ...] = Field(
        default=(),
        description="Names of tags: each `<tag>` and `</tag>` appears once, in this order.",
    )
    deadline_s: float = Field(
        default=2.0,
        gt=0,
        le=60,
        description="Seconds that a pattern without a linear form may take on one completion.",
    )

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if self.pattern is None and not self.tags:
            raise ValueError("pattern is null and tags is empty; give at least one of them")
        return self


class FormatCheck:
    """1 when the whole completion has the layout, else 0 with the reason.

    Patterns that a linear-time engine can run with the same meaning (no look-around, no
    backreferences, a small automaton) take time linear in the completion. Others run in a worker
    that is killed after `deadline_s`, or shortly before the engine's own deadline: the completion
    then scores 0, with reason `timeout`, not to be relied on; `memory` where that was too small.
    """

    Params = FormatCheckParams
    reads = ("output",)
    bounded = True

    @staticmethod
    def needs(params: FormatCheckParams) -> frozenset[Need]:
        """Workers, for a pattern without a linear form."""
        linear = params.pattern is None or linear_pattern(params.pattern) is not None
        return _NONE if linear else _WORKERS

    def __init__(self, params: FormatCheckParams, tools: Tools) -> None:
        self._tags = params.tags
        self._workers = tools.workers
        # Within the engine's deadline, so that a match that is too slow is a verdict, not an error.
        engine_s = math.inf if tools.deadline_s is None else tools.deadline_s
        self._deadline_s = min(params.deadline_s, 0.8 * engine_s)
        self._pattern = params.pattern
        self._linear = None if params.pattern is None else linear_pattern(params.pattern)

    def score_batch(self, records: Sequence[Record]) -> Sequence[Answer]:
        """The verdicts, in order."""
        texts = [record.output for record in records]
        wrong = ["; ".join(_wrong_tags(text, self._tags)) for text in texts]
        found = iter(self._found([text for text, why in zip(texts, wrong, strict=True) if not why]))
        return [Score(0.0, reason=why) if why else _verdict(next(found)) for why in wrong]

    def _found(self, texts: list[str]) -> Sequence[WorkerAnswer]:
        if self._pattern is None:
            return [Reply(True)] * len(texts)
        if self._linear is not None:
            return [Reply(self._linear.fullmatch(text)) for text in texts]
        assert self._workers is not None, "the engine hands workers to who needs them"
        return self._workers.map(
            "evalsi_pack_rl.format_worker:matches",
            [[self._pattern, text] for text in texts],
            deadline_s=self._deadline_s,
        )


def _verdict(found: WorkerAnswer) -> Answer:
    if isinstance(found, Faulted):
        return Errored(found.failure)
    if isinstance(found, Reply):
        return _PASS if found.value else _NO_MATCH
    return _TIMEOUT if isinstance(found, TimedOut) else _MEMORY


def _wrong_tags(text: str, tags: tuple[str, ...]) -> Iterator[str]:
    for tag in tags:
        for mark in (f"<{tag}>", f"</{tag}>"):
            count = text.count(mark)
            if count != 1:
                yield f"{mark} appears {count} times, not once"
        if text.find(f"<{tag}>") > text.find(f"</{tag}>") >= 0:
            yield f"</{tag}> comes before <{tag}>"
