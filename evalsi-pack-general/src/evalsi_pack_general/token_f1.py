"""How far the words of the answer agree with the reference's: SQuAD's F1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evalsi.core.evaluator import Answer, Direction, Need, Tools
from evalsi.core.results import Score
from evalsi_pack_general.answers import UNCLOSED, AnswerParams, answer_of, excerpt
from evalsi_pack_general.references import NO_REFERENCE, accepted
from evalsi_pack_general.squad import Overlap, overlap, squad_words

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["TokenF1", "TokenF1Params"]

_METRICS: Final[dict[str, Direction]] = {
    "token-f1": "higher",
    "token-f1.precision": "higher",
    "token-f1.recall": "higher",
}


class TokenF1Params(AnswerParams):
    """What of the completion is looked at."""


class TokenF1:
    """The F1 of the answer's words against the reference, in [0, 1]; of several the best.

    Precision and recall are reported for the reference with the best F1. Skipped when the record
    has no reference.

    Source: Rajpurkar et al. 2016, SQuAD, section 6.1, and its evaluation script.
    """

    Params = TokenF1Params
    reads = ("output", "reference")
    needs = frozenset[Need]()
    bounded = True
    metrics = _METRICS

    def __init__(self, params: TokenF1Params, tools: Tools) -> None:  # noqa: ARG002
        self._thinking = params.thinking

    def score(self, record: Record) -> Answer:
        """The F1 of one completion; raises `DataError` for a reference that is no text."""
        expected = accepted(record.reference)
        if not expected:
            return NO_REFERENCE
        answer = answer_of(record.output, self._thinking)
        if answer is None:
            return _scored(Overlap(0.0, 0.0, 0.0), UNCLOSED, expected[0])
        words = squad_words(answer)
        compared = [(overlap(words, squad_words(text)), text) for text in expected]
        best, text = max(compared, key=lambda pair: pair[0].f1)
        reason = "same" if best.f1 == 1 else "overlap" if best.f1 else "different"
        return _scored(best, reason, text)


def _scored(found: Overlap, reason: str, text: str) -> Score:
    metrics = {
        "token-f1": found.f1,
        "token-f1.precision": found.precision,
        "token-f1.recall": found.recall,
    }
    return Score(found.f1, metrics, reason, {"expected": excerpt(text)})
