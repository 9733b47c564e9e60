"""How similar the answer is to the reference, letter by letter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from evalsi.core.errors import DataError
from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import JSON, Score
from evalsi_pack_general.answers import UNCLOSED, answer_of, excerpt
from evalsi_pack_general.edit_distance import edit_distance, edit_distance_within
from evalsi_pack_general.normalising import NormalParams, normalised
from evalsi_pack_general.references import NO_REFERENCE, accepted

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["FuzzyMatch", "FuzzyMatchParams"]

_NO_ANSWER: Final = Score(0.0, reason=UNCLOSED)
_LONGEST: Final = 2_000
_TIMES: Final = 10
_SEARCHED: Final = 100_000


class FuzzyMatchParams(NormalParams):
    """What is compared, and what passes."""

    where: Literal["whole", "anywhere"] = Field(
        default="whole",
        description="Whether all of the answer is compared, or its part that is most similar.",
    )
    threshold: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Similarity from which the score is 1, else 0; null scores the similarity.",
    )


class FuzzyMatch:
    """The similarity of answer and reference in [0, 1], or whether it reaches a threshold.

    1 less the edit distance's share of the longer text's letters; of several references the best.
    Skipped when the record has no reference.
    """

    Params = FuzzyMatchParams
    reads = ("output", "reference")
    needs = frozenset[Need]()
    bounded = True

    def __init__(self, params: FuzzyMatchParams, tools: Tools) -> None:  # noqa: ARG002
        self._params = params

    def score(self, record: Record) -> Answer:
        """The similarity of one completion.

        Raises:
            DataError: the reference is no text, or one of more than 2,000 letters.
        """
        expected = accepted(record.reference)
        if not expected:
            return NO_REFERENCE
        answer = answer_of(record.output, self._params.thinking)
        if answer is None:
            return _NO_ANSWER
        found = normalised(answer, self._params)
        compared = [(self._similarity(found, self._written(text)), text) for text in expected]
        similarity, text = max(compared)
        evidence: dict[str, JSON] = {"similarity": similarity, "expected": excerpt(text)}
        threshold = self._params.threshold
        if threshold is None:
            return Score(similarity, reason="similarity", evidence=evidence)
        passes = similarity >= threshold
        return Score(float(passes), reason="match" if passes else "different", evidence=evidence)

    def _written(self, text: str) -> str:
        written = normalised(text, self._params)
        if len(written) > _LONGEST:
            raise DataError(
                f"a reference has {len(written)} letters; fuzzy-match compares up to {_LONGEST}"
            )
        return written

    def _similarity(self, found: str, expected: str) -> float:
        if not found or not expected:
            return 0.0
        if self._params.where == "anywhere":
            return 1 - edit_distance_within(expected, found[-_SEARCHED:]) / len(expected)
        longer = max(len(found), len(expected))
        if longer > _TIMES * len(expected):
            return 0.0  # less than a tenth could be shared: not worth a long text's time
        return 1 - edit_distance(found, expected) / longer
