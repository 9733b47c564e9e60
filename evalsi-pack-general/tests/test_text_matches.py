"""exact-match, contains and length beyond their labelled cases."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evalsi.core.evaluator import Answer, Tools
from evalsi.core.records import Record
from evalsi.core.results import Score
from evalsi_pack_general.contains import Contains, ContainsParams
from evalsi_pack_general.exact_match import ExactMatch, ExactMatchParams
from evalsi_pack_general.length import LengthParams

WORDS = st.text(alphabet="ab1 -", max_size=12)


def contains(output: str, *values: str, **params: object) -> Answer:
    settings = ContainsParams.model_validate({"values": values, **params})
    return Contains(settings, Tools()).score(Record(id="1", output=output))


def value(answer: Answer) -> float:
    assert isinstance(answer, Score)
    return answer.value


@given(st.text(min_size=1), st.text(), st.text())
def test_what_is_put_between_two_texts_is_found(sought: str, before: str, behind: str) -> None:
    settings = {"thinking": "keep", "nfkc": False, "fold_case": False, "fold_white_space": False}

    assert value(contains(before + sought + behind, sought, **settings)) == 1.0


@given(WORDS, st.text(alphabet="ab1 -", min_size=1, max_size=4))
def test_whole_words_are_those_of_a_plain_search(text: str, sought: str) -> None:
    settings = {"whole_words": True, "fold_white_space": False}
    before = r"(?<!\w)" if sought[0].isalnum() else r"(?<=\w)|(?<!\w)"
    behind = r"(?!\w)" if sought[-1].isalnum() else ""
    left = before if sought[0].isalnum() else ""
    plain = re.search(f"{left}{re.escape(sought)}{behind}", text)

    assert value(contains(text, sought, **settings)) == float(plain is not None)


@given(WORDS, st.text(alphabet="ab1", min_size=1, max_size=3))
def test_negating_turns_the_verdict_round(text: str, sought: str) -> None:
    assert value(contains(text, sought)) + value(contains(text, sought, negate=True)) == 1.0


@pytest.mark.parametrize("unit", ["1,", "a", "1", "\u0301", "a\u0301", "1.", "\0"])
def test_whole_words_take_linear_time(unit: str) -> None:
    started = time.process_time()
    contains(unit * 300_000, unit * 50_000 + "!", whole_words=True)

    assert time.process_time() - started < 5


def test_the_evidence_tells_what_was_found_and_what_was_not() -> None:
    answer = contains("red", "red", "blue")

    assert isinstance(answer, Score)
    assert answer.evidence == {"found": ("red",), "missing": ("blue",)}


def test_the_evidence_of_a_match_is_the_reference_that_matched() -> None:
    record = Record(id="1", output="uk", reference=["Great Britain", "UK"])
    answer = ExactMatch(ExactMatchParams(), Tools()).score(record)

    assert answer == Score(1.0, reason="match", evidence={"answer": "uk", "expected": "UK"})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"min": 3, "max": 2}, "min is 3 and max is 2; min cannot be larger"),
        ({"min": -1}, "min"),
        ({"unit": "bytes"}, "unit"),
    ],
    ids=["order", "negative", "unit"],
)
def test_bounds_that_leave_no_room_are_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        LengthParams.model_validate(params)


@pytest.mark.parametrize("values", [[""], ["a"] * 101], ids=["empty", "many"])
def test_values_that_say_nothing_are_refused(values: list[str]) -> None:
    with pytest.raises(ValidationError, match="values"):
        ContainsParams.model_validate({"values": values})
