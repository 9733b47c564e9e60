"""Whether the answer is the expected text, small differences of spelling aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import JSON, Score
from evalsi_pack_general.answers import UNCLOSED, answer_of, excerpt
from evalsi_pack_general.normalising import NormalParams, normalised
from evalsi_pack_general.references import NO_REFERENCE, accepted

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["ExactMatch", "ExactMatchParams"]

_NO_ANSWER: Final = Score(0.0, reason=UNCLOSED)
_SHOWN: Final = 8


class ExactMatchParams(NormalParams):
    """Which differences do not count."""


class ExactMatch:
    """1 when the answer equals the reference, or one of a list of them, else 0.

    Skipped when the record has no reference. An answer is never a part of the completion save what
    follows its thinking: "It is Paris" is not "Paris".
    """

    Params = ExactMatchParams
    reads = ("output", "reference")
    needs = frozenset[Need]()
    bounded = True

    def __init__(self, params: ExactMatchParams, tools: Tools) -> None:  # noqa: ARG002
        self._params = params

    def score(self, record: Record) -> Answer:
        """The verdict on one completion; raises `DataError` for a reference that is no text."""
        expected = accepted(record.reference)
        if not expected:
            return NO_REFERENCE
        answer = answer_of(record.output, self._params.thinking)
        if answer is None:
            return _NO_ANSWER
        found = normalised(answer, self._params)
        evidence: dict[str, JSON] = {"answer": excerpt(found)}
        for text in expected:
            if found and normalised(text, self._params) == found:
                return Score(1.0, reason="match", evidence=evidence | {"expected": excerpt(text)})
        evidence["expected"] = [excerpt(text) for text in expected[:_SHOWN]]
        return Score(0.0, reason="different" if found else "empty", evidence=evidence)
