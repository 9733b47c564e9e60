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
from evalsi.core.results import Score
from evalsi_pack_rl.killable import killable_fullmatch
from evalsi_pack_rl.linear import linear_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalsi.core.records import Record

__all__ = ["FormatCheck", "FormatCheckParams"]

LAYOUT: Final = r"(?s)\s*<think>.*</think>\s*<answer>.*</answer>\s*"

_PASS: Final = Score(1.0)
_NO_MATCH: Final = Score(0.0, reason="the completion does not match the pattern")
_TIMEOUT: Final = Score(0.0, reason="timeout", stable=False)


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
    backreferences, a small automaton) take time linear in the completion. Others run in a process
    that is killed after `deadline_s`, or shortly before the engine's own deadline: the completion
    then scores 0, with reason `timeout`, not to be relied on.
    """

    Params = FormatCheckParams
    reads = ("output",)
    needs = frozenset[Need]()

    @staticmethod
    def bounded(params: FormatCheckParams) -> bool:
        """Whether the pattern, if there is one, has a linear form."""
        return params.pattern is None or linear_pattern(params.pattern) is not None

    def __init__(self, params: FormatCheckParams, tools: Tools) -> None:
        self._tags = params.tags
        # Within the engine's deadline, so that a match that is too slow is a verdict, not an error.
        engine_s = math.inf if tools.deadline_s is None else tools.deadline_s
        self._deadline_s = min(params.deadline_s, 0.8 * engine_s)
        self._pattern = None if params.pattern is None else re.compile(params.pattern)
        self._linear = None if params.pattern is None else linear_pattern(params.pattern)

    def score(self, record: Record) -> Answer:
        """The verdict on one completion."""
        text = record.output
        if self._tags and (wrong := "; ".join(_wrong_tags(text, self._tags))):
            return Score(0.0, reason=wrong)
        matches = self._matches(text)
        if matches is None:
            return _TIMEOUT
        return _PASS if matches else _NO_MATCH

    def _matches(self, text: str) -> bool | None:
        if self._linear is not None:
            return self._linear.fullmatch(text)
        if self._pattern is None:
            return True
        return killable_fullmatch(self._pattern, text, self._deadline_s)


def _wrong_tags(text: str, tags: tuple[str, ...]) -> Iterator[str]:
    for tag in tags:
        for mark in (f"<{tag}>", f"</{tag}>"):
            count = text.count(mark)
            if count != 1:
                yield f"{mark} appears {count} times, not once"
        if text.find(f"<{tag}>") > text.find(f"</{tag}>") >= 0:
            yield f"</{tag}> comes before <{tag}>"
