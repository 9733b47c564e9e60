"""Reading a judge's text: what it cannot be made to do, whatever it holds."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_fakes.polite import Politeness

from evalsi.core.chat import Output
from evalsi.core.judge import fenced, prompt_hash
from evalsi.core.judge.answers import Unfit, answer_of

TEXTS = st.text(
    alphabet=st.sampled_from('{}[]",:\\ \n019politeness<think>/`-NaI\ud800é'), max_size=80
)


def read(text):
    try:
        return answer_of(Output(text), Politeness).politeness
    except Unfit:
        return None


@given(TEXTS)
def test_any_text_is_an_answer_within_the_schema_or_none(text):
    assert read(text) in (None, 1, 2, 3, 4, 5)


@given(TEXTS, st.integers(1, 5))
def test_an_answer_alone_after_thoughts_is_always_read(thoughts, politeness):
    text = f"{thoughts}</think>\n" + json.dumps({"politeness": politeness})
    assert read(text) == politeness


@given(st.integers(-3, 9), st.integers(-3, 9))
def test_of_two_answers_none_is_chosen(one, other):
    text = f'{{"politeness": {one}}} {{"politeness": {other}}}'
    assert read(text) == (one if one == other and 1 <= one <= 5 else None)


def test_braces_do_not_hide_the_answer_behind_them():
    quoted, own = '{"politeness": 5}', '{"politeness": 1}'
    assert read(f"It says {quoted} {'{' * 40} and I say {own}") is None


@pytest.mark.parametrize(
    "unit", ["{", '{"a":', '{"a":{}', "[{", '{"politeness":4}', "</think>", "{\\"]
)
def test_reading_is_bounded(unit):
    begun = time.process_time()
    read((unit * 65536)[:65536])
    assert time.process_time() - begun < 1.0


@given(st.text(), st.text())
def test_a_fence_holds_its_text_between_tags_that_are_not_in_it(text, other):
    first, *middle, last = fenced("answer", text).split("\n")
    assert "\n".join(middle) == text
    assert last == first.replace("<", "</", 1)
    assert first not in text
    assert (fenced("answer", text) == fenced("answer", other)) == (text == other)


def test_another_prompt_or_schema_is_another_hash():
    class Stricter(Politeness):
        reason: str

    hashes = {
        prompt_hash("How polite?", Politeness),
        prompt_hash("How rude?", Politeness),
        prompt_hash("How polite?", Stricter),
    }
    assert len(hashes) == 3
    assert prompt_hash("How polite?", Politeness) in hashes
