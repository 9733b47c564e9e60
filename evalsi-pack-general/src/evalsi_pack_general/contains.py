"""Whether the answer holds certain texts: all of them, or any."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field, StringConstraints

from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import JSON, Score
from evalsi_pack_general.answers import UNCLOSED, answer_of, excerpt
from evalsi_pack_general.marks import mark_class
from evalsi_pack_general.normalising import NormalParams, normalised
from evalsi_pack_general.references import NO_REFERENCE, accepted

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["Contains", "ContainsParams"]

_NO_ANSWER: Final = Score(0.0, reason=UNCLOSED)
_SHOWN: Final = 8

Sought = Annotated[str, StringConstraints(min_length=1)]


class ContainsParams(NormalParams):
    """What is looked for, and how."""

    values: tuple[Sought, ...] = Field(
        default=(), max_length=100, description="The texts looked for; none: the reference."
    )
    mode: Literal["any", "all"] = Field(
        default="any", description="Whether one of the texts is enough."
    )
    whole_words: bool = Field(
        default=False, description="A text counts only where no word goes on at its ends."
    )
    negate: bool = Field(
        default=False, description="Score 1 where the texts are not there, and 0 where they are."
    )


class Contains:
    """1 when the answer contains any (or all) of the texts, else 0.

    The texts are those of `values`, or without these the reference's; skipped when there are
    neither. An answer that never came, because thinking did not end, scores 0 in any case.
    """

    Params = ContainsParams
    needs = frozenset[Need]()
    bounded = True

    @staticmethod
    def reads(params: ContainsParams) -> tuple[str, ...]:
        """The reference only where no values are given."""
        return ("output",) if params.values else ("output", "reference")

    def __init__(self, params: ContainsParams, tools: Tools) -> None:  # noqa: ARG002
        self._params = params
        self._enough = any if params.mode == "any" else all

    def score(self, record: Record) -> Answer:
        """The verdict on one completion; raises `DataError` for a reference that is no text."""
        sought = self._params.values or accepted(record.reference)
        if not sought:
            return NO_REFERENCE
        answer = answer_of(record.output, self._params.thinking)
        if answer is None:
            return _NO_ANSWER
        text = self._written(answer)
        written = [self._written(one) for one in sought]
        # A text of which nothing is left, such as an article alone, would be found anywhere.
        held = [bool(one) and one in text for one in written]
        holds = self._enough(held)
        evidence: dict[str, JSON] = {
            "found": _told(sought, held, wanted=True),
            "missing": _told(sought, held, wanted=False),
        }
        reason = "found" if holds else "missing"
        return Score(float(holds != self._params.negate), reason=reason, evidence=evidence)

    def _written(self, text: str) -> str:
        """The text as it is searched; for whole words with a mark at both ends of every word."""
        text = normalised(text, self._params)
        return _words().sub("\0\\g<0>\0", text) if self._params.whole_words else text


@functools.cache
def _words() -> re.Pattern[str]:
    # Marks and joiners belong to their word: the vowel signs of Indic scripts are no letters. A
    # number goes on behind its point or comma: 12 is no word of 12,500.
    word = rf"[\w{mark_class()}\u200c\u200d]+"
    return re.compile(rf"{word}(?:(?<=\d)[.,](?=\d){word})*")


def _told(sought: tuple[str, ...], held: list[bool], *, wanted: bool) -> tuple[str, ...]:
    told = (excerpt(text) for text, found in zip(sought, held, strict=True) if found == wanted)
    return tuple(itertools.islice(told, _SHOWN))
