"""calibration: the arithmetic of the Brier score and of the expected calibration error."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core.evaluator import Tools
from evalsi.core.records import Record
from evalsi.core.results import Score
from evalsi_pack_general.calibration import (
    Calibration,
    CalibrationParams,
    expected_calibration_error,
)
from evalsi_pack_general.confidence import stated_confidence

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30)
BINS = st.integers(1, 20)


def scores(pairs: list[tuple[float, bool]], bins: int) -> list[Score]:
    evaluator = Calibration(CalibrationParams(confidence_field="sure", bins=bins), Tools())
    answers = [
        evaluator.score(Record(id="1", metadata={"sure": sure, "correct": correct}))
        for sure, correct in pairs
    ]
    assert all(isinstance(answer, Score) for answer in answers)
    return answers  # type: ignore[return-value]


@given(PAIRS)
def test_the_brier_score_is_the_squared_gap(pairs: list[tuple[float, bool]]) -> None:
    found = [score.value for score in scores(pairs, 10)]

    assert found == pytest.approx([(sure - correct) ** 2 for sure, correct in pairs])


@given(PAIRS, BINS)
def test_the_gaps_of_the_bins_add_up_to_the_calibration_error(
    pairs: list[tuple[float, bool]], bins: int
) -> None:
    sums: dict[str, float] = defaultdict(float)
    for score in scores(pairs, bins):
        (metric,) = (name for name in score.metrics if "[" in name)
        sums[metric] += score.metrics[metric]

    error = expected_calibration_error(pairs, bins)

    assert sum(map(abs, sums.values())) / len(pairs) == pytest.approx(error)


@given(PAIRS, BINS)
def test_the_calibration_error_lies_between_the_mean_gap_and_1(
    pairs: list[tuple[float, bool]], bins: int
) -> None:
    error = expected_calibration_error(pairs, bins)
    gap = abs(sum(sure - correct for sure, correct in pairs)) / len(pairs)

    assert gap - 1e-9 <= error <= 1 + 1e-9


def test_a_model_that_is_as_often_right_as_it_says_has_no_error() -> None:
    assert expected_calibration_error([(0.75, True)] * 3 + [(0.75, False)]) == 0


def test_a_known_calibration_error() -> None:
    pairs = [(0.95, True), (0.95, False), (0.55, True), (0.15, False)]

    assert expected_calibration_error(pairs) == pytest.approx((0.9 + 0.45 + 0.15) / 4)


def test_without_confidences_there_is_no_error_to_speak_of() -> None:
    with pytest.raises(ValueError, match="no completion with a confidence"):
        expected_calibration_error([])


@pytest.mark.parametrize("bins", [1, 3, 7, 10, 100])
def test_every_metric_that_is_reported_is_declared(bins: int) -> None:
    params = CalibrationParams(confidence_field="sure", bins=bins)
    pairs = [(at / 200, True) for at in range(201)]
    reported = {name for score in scores(pairs, bins) for name in score.metrics}

    assert reported | {"calibration"} == set(Calibration.metrics(params))


@given(st.text(), st.integers(0, 100))
def test_the_last_confidence_is_found_behind_any_text(text: str, percent: int) -> None:
    assert stated_confidence(f"{text}\nConfidence: {percent}%") == percent / 100


@given(st.text(alphabet="confidence: 0123456789.%/ sureout of\n"))
def test_a_confidence_is_a_share(text: str) -> None:
    found = stated_confidence(text)

    assert found is None or 0 <= found <= 1
