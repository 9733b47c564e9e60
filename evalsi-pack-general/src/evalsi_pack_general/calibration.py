"""Whether stated confidence agrees with being right.

The Brier score belongs to one completion, so that its mean, interval and comparison over a run are
those of any other score. The expected calibration error belongs to a whole run and to no record:
each completion reports its gap under the bin of its confidence, the run averages a bin's gaps, and
`expected_calibration_error` adds the bins up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from pydantic import Field

from evalsi.core.errors import DataError
from evalsi.core.evaluator import Answer, Direction, Need, Tools
from evalsi.core.results import JSON, Score, Skipped
from evalsi_pack_general.answers import AnswerParams, answer_of
from evalsi_pack_general.confidence import stated_confidence
from evalsi_pack_general.other_result import field_of, other_result

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["Calibration", "CalibrationParams", "expected_calibration_error"]

_UNSTATED: Final = Skipped("no confidence is stated")


class CalibrationParams(AnswerParams):
    """Where confidence and correctness come from."""

    correct_from: str | None = Field(
        default=None,
        min_length=1,
        description="Name of an evaluator of the same run; a score of 1 or more is correct.",
    )
    correct_field: str = Field(
        default="correct",
        min_length=1,
        description="Without `correct_from`: the record's field that says whether it is correct.",
    )
    confidence_field: str | None = Field(
        default=None,
        min_length=1,
        description="The record's field with the confidence in [0, 1]; null: the completion says "
        "it.",
    )
    bins: int = Field(default=10, ge=1, le=100, description="Bins of equal width for the gaps.")


class Calibration:
    """The Brier score (confidence - correct)², in [0, 1]; lower is better.

    Skipped where no confidence is stated, or it is not known whether the completion is correct.

    Source: Brier 1950; for the gaps Guo et al. 2017, On Calibration of Modern Neural Networks.
    """

    Params = CalibrationParams
    needs = frozenset[Need]()
    bounded = True

    @staticmethod
    def reads(params: CalibrationParams) -> tuple[str, ...]:
        """The fields that the params name."""
        correct, confidence = params.correct_from, params.confidence_field
        known = field_of(correct) if correct else f"metadata.{params.correct_field}"
        return ("output" if confidence is None else f"metadata.{confidence}", known)

    @staticmethod
    def metrics(params: CalibrationParams) -> Mapping[str, Direction]:
        """The Brier score, confidence, and the gap, whose best value is 0, in all and by bin."""
        bins: dict[str, Direction] = {_bin(at, params.bins): "neither" for at in range(params.bins)}
        return {
            "calibration": "lower",
            "calibration.confidence": "neither",
            "calibration.gap": "neither",
            **bins,
        }

    def __init__(self, params: CalibrationParams, tools: Tools) -> None:  # noqa: ARG002
        self._params = params

    def score(self, record: Record) -> Answer:
        """The Brier score of one completion; raises `DataError` for a field of another kind."""
        correct = self._correct(record)
        if correct is None:
            return Skipped(
                f"it is not known whether it is correct: no {self._params.correct_from} has scored "
                "it"
                if self._params.correct_from
                else "the record does not say whether it is correct"
            )
        confidence = self._confidence(record)
        if confidence is None:
            return _UNSTATED
        gap = confidence - correct
        bins = self._params.bins
        metrics = {
            "calibration.confidence": confidence,
            "calibration.gap": gap,
            _bin(_bin_of(confidence, bins), bins): gap,
        }
        reason = "right" if correct else "wrong"
        evidence: JSON = {"confidence": confidence, "correct": bool(correct)}
        return Score(gap * gap, metrics, reason, evidence)

    def _correct(self, record: Record) -> float | None:
        if name := self._params.correct_from:
            result = other_result(record, name)
            value = None if result is None else result.get("value")
            return float(value >= 1) if isinstance(value, int | float) else None
        return _number(record.metadata.get(self._params.correct_field), self._params.correct_field)

    def _confidence(self, record: Record) -> float | None:
        if field := self._params.confidence_field:
            return _number(record.metadata.get(field), field)
        text = answer_of(record.output, self._params.thinking)
        return None if text is None else stated_confidence(text)


def expected_calibration_error(pairs: Iterable[tuple[float, bool]], bins: int = 10) -> float:
    """The mean over completions of their bin's distance between confidence and correctness.

    In [0, 1]. It is never below 0 by chance, so a few hundred completions at least are needed.

    Args:
        pairs: confidence in [0, 1] and whether correct, of each completion.
        bins: how many bins of equal width; the last one holds 1.

    Raises:
        ValueError: there are no pairs.

    Source: Guo et al. 2017, equation 3.
    """
    gaps = [0.0] * bins
    count = 0
    for confidence, correct in pairs:
        gaps[_bin_of(confidence, bins)] += confidence - correct
        count += 1
    if not count:
        raise ValueError("there is no completion with a confidence")
    return math.fsum(map(abs, gaps)) / count


def _bin_of(confidence: float, bins: int) -> int:
    return min(int(confidence * bins), bins - 1)


def _bin(at: int, bins: int) -> str:
    return f"calibration.gap[{at / bins:g}-{(at + 1) / bins:g}]"


def _number(value: JSON, field: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, bool | int | float) or not 0 <= value <= 1:
        raise DataError(f"metadata.{field} is {value!r:.80}; it is a number from 0 to 1, or a bool")
    return float(value)
