"""regex-match: no text stretches its time, no pattern is let by that could."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evalsi.core.evaluator import Tools
from evalsi.core.records import Record
from evalsi.core.results import Errored, Failure, Score
from evalsi.core.reward import load_reward
from evalsi.core.workers import Faulted
from evalsi_pack_general.linear_pattern import linear_pattern
from evalsi_pack_general.regex_match import RegexMatch, RegexMatchParams


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"pattern": "(a"}, "no pattern of RE2: missing )"),
        ({"pattern": "(?=a)b"}, "`engine: python` may know it"),
        ({"pattern": r"(a)\1"}, "no pattern of RE2"),
        ({"pattern": "[^a]{500}"}, "makes a program of"),
        ({"pattern": "(a", "engine": "python"}, "is not a regular expression"),
        ({"pattern": ""}, "pattern"),
        ({"pattern": "a", "deadline_s": 0}, "deadline_s"),
    ],
    ids=["re2", "look-ahead", "backreference", "large", "python", "empty", "deadline"],
)
def test_a_pattern_that_cannot_run_is_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        RegexMatchParams.model_validate(params)


@pytest.mark.parametrize("pattern", [r"(a*)*b", r"(a|aa)+$", r"(.*a){12}b", r".*a.{40}b.*"])
def test_a_megabyte_takes_no_long_time(pattern: str) -> None:
    started = time.process_time()
    linear_pattern(pattern).search("a" * 1_000_000)

    assert time.process_time() - started < 10


@given(st.text(), st.sampled_from([r"a+b?", r"[^x]", r"^\w*$", "(?s).", r"\Aa|b\z"]))
def test_a_match_is_a_part_of_the_text(text: str, pattern: str) -> None:
    found = linear_pattern(pattern).search(text)

    assert found is None or found in text


@given(st.text(alphabet="abc \n"), st.sampled_from(["a+b?", "[^b]c", "(a|b)*c", "a.b", "^ab"]))
def test_plain_patterns_mean_what_they_mean_in_python(text: str, pattern: str) -> None:
    found = re.search(pattern, text)

    assert linear_pattern(pattern).search(text) == (None if found is None else found[0])


def test_a_fault_of_a_worker_is_an_error() -> None:
    failure = Failure("engine", "its worker did not start")

    class Faulty:
        def map(self, function: str, payloads: list[object], **options: object) -> list[Faulted]:
            return [Faulted(failure)] * len(payloads)

    settings = RegexMatchParams(pattern="a", engine="python")
    evaluator = RegexMatch(settings, Tools(workers=Faulty()))  # type: ignore[arg-type]

    assert evaluator.score_batch([Record(id="1", output="a")]) == [Errored(failure)]


def test_a_slow_match_is_a_verdict_and_not_an_error_of_the_batch() -> None:
    params = {"pattern": "(?=a)(a+)+$", "engine": "python"}
    spec = {"components": [{"ref": "regex-match", "params": params}], "deadlineSeconds": 5}
    slow, quick = load_reward(spec).score([{"completion": "a" * 40 + "!"}, {"completion": "aa"}])

    result = slow["regex-match"].result
    assert result == Score(0.0, reason="timeout", stable=False)
    assert (slow.total, quick.total) == (0.0, 1.0)
