"""The contract of an evaluator: what its answers become."""

from __future__ import annotations

import math
from typing import Any

import pytest

from evalsi.core import Errored, Score, Skipped
from evalsi.core.evaluator import to_result

METRICS: Any = {"length": "lower"}


def answered(answer: object) -> Any:
    return to_result(answer, METRICS)


def told(answer: object) -> str:
    """The message of the error that an answer becomes."""
    result = answered(answer)
    assert isinstance(result, Errored)
    assert result.failure.kind == "evaluator"
    return result.failure.message


@pytest.mark.parametrize(
    ("answer", "value"),
    [(True, 1.0), (False, 0.0), (0.25, 0.25), (1, 1.0), (-3, -3.0), (Score(True), 1.0)],
    ids=repr,
)
def test_an_answer_that_is_a_number_is_a_score(answer: object, value: float) -> None:
    result = answered(answer)
    assert (result.value, type(result.value)) == (value, float)


def test_a_score_comes_back_as_it_was() -> None:
    score = Score(0.5, {"length": 3.0}, "half", stable=False)
    assert answered(score) == score


def test_skipped_stays_skipped() -> None:
    assert answered(Skipped("no reference")) == Skipped("no reference")


@pytest.mark.parametrize(
    "answer", [None, "1.0", [1.0], {}, object(), 1j], ids=lambda a: type(a).__name__
)
def test_any_other_answer_is_an_error_and_no_number(answer: object) -> None:
    assert f"it answered {type(answer).__name__}; an answer is" in told(answer)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=str)
def test_a_value_that_is_not_finite_is_an_error(value: float) -> None:
    assert [f"it answered {value!r}" in told(answer) for answer in (value, Score(value))] == [
        True,
        True,
    ]


def test_an_integer_that_no_float_holds_is_an_error() -> None:
    assert "it answered int" in told(10**400)


def test_a_metric_that_the_class_does_not_declare_is_an_error() -> None:
    assert "the metric 'width', which its class does not declare" in told(Score(1.0, {"width": 1}))


@pytest.mark.parametrize("value", [math.nan, None, "3"], ids=repr)
def test_a_metric_that_is_no_finite_number_is_an_error(value: Any) -> None:
    assert f"its metric 'length' is {value!r}" in told(Score(1.0, {"length": value}))


def test_a_long_reason_is_cut() -> None:
    assert len(answered(Score(1.0, reason="x" * 1_000_000)).reason) < 2100


def test_a_reason_that_is_no_text_becomes_text() -> None:
    reason: Any = 404
    assert answered(Score(1.0, reason=reason)).reason == "404"


def test_the_evidence_of_a_score_is_bounded() -> None:
    evidence = answered(Score(1.0, evidence={"stdout": "x" * 1_000_000})).evidence
    assert evidence["stdout"].endswith("… (997952 bytes cut)")
