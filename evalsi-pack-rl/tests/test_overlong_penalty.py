"""overlong-penalty: DAPO's soft penalty."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from evalsi.core.evaluator import Answer, Tools
from evalsi.core.records import Record
from evalsi.core.results import Score, Skipped
from evalsi.core.views import view
from evalsi_pack_rl.overlong_penalty import OverlongPenalty, OverlongPenaltyParams


def penalty(record: Record, **params: object) -> Answer:
    settings = OverlongPenaltyParams.model_validate({"max_length": 100, "buffer": 20, **params})
    limited = view(record, OverlongPenalty.reads(settings), ())
    return OverlongPenalty(settings, Tools()).score(limited)


def value(length: int, **params: object) -> float:
    answer = penalty(Record(id="1", output_tokens=length), **params)
    assert isinstance(answer, Score)
    return answer.value


@pytest.mark.parametrize(
    ("length", "expected"),
    [(0, 0.0), (80, 0.0), (81, -0.05), (90, -0.5), (99, -0.95), (100, -1.0), (5000, -1.0)],
)
def test_the_penalty_grows_over_the_buffer(length: int, expected: float) -> None:
    assert value(length) == pytest.approx(expected)


@pytest.mark.parametrize(("length", "expected"), [(99, 0.0), (100, -1.0), (101, -1.0)])
def test_without_a_buffer_the_penalty_is_a_step(length: int, expected: float) -> None:
    assert value(length, buffer=0) == expected


def test_a_buffer_as_long_as_the_limit_penalises_every_token() -> None:
    assert value(1, buffer=100) == pytest.approx(-0.01)


def test_a_rollout_without_a_token_count_is_skipped() -> None:
    assert isinstance(penalty(Record(id="1", output="a b c")), Skipped)


def test_words_are_counted_in_the_text() -> None:
    answer = penalty(Record(id="1", output="a b\nc"), max_length=4, buffer=2, unit="words")

    assert answer == Score(-0.5)


def test_characters_are_counted_in_the_text() -> None:
    answer = penalty(Record(id="1", output="abc"), max_length=4, buffer=2, unit="characters")

    assert answer == Score(-0.5)


def test_an_empty_completion_is_not_penalised() -> None:
    assert penalty(Record(id="1"), unit="words") == Score(0.0)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"buffer": 101}, "buffer is 101 and max_length is 100; buffer cannot be larger"),
        ({"buffer": -1}, "buffer"),
        ({"max_length": 0, "buffer": 0}, "max_length"),
        ({"unit": "bytes"}, "unit"),
    ],
    ids=["buffer", "negative", "zero", "unit"],
)
def test_wrong_params_are_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        penalty(Record(id="1"), **params)

    assert message in str(refused.value)
