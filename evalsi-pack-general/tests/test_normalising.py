"""Spellings made equal, in linear time."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi_pack_general.marks import stream_safe
from evalsi_pack_general.normalising import NormalParams, nfkc, normalised

PLAIN = NormalParams()
DROPPING = NormalParams(drop_articles=True, drop_punctuation=True)
ACUTE, GRAVE_BELOW, HALF_WIDTH = "\u0301", "\u0316", "\uff9e"


@given(st.text())
def test_a_text_without_long_runs_of_marks_has_unicodes_own_form(text: str) -> None:
    assert stream_safe(text) != text or nfkc(text) == unicodedata.normalize("NFKC", text)


@given(st.text())
def test_what_is_normalised_stays_as_it_is(text: str) -> None:
    once = normalised(text, PLAIN)

    assert normalised(once, PLAIN) == once


@given(st.text())
def test_canonically_equal_texts_become_the_same(text: str) -> None:
    apart = unicodedata.normalize("NFD", text)

    assert normalised(apart, PLAIN) == normalised(text, PLAIN)


@given(st.text(alphabet="aAbT.,the \n\u3002"))
def test_dropping_leaves_neither_articles_nor_punctuation(text: str) -> None:
    words = normalised(text, DROPPING).split(" ")

    assert not {"a", "an", "the", ".", ",", "\u3002"} & set(words)


@pytest.mark.parametrize("first", [ACUTE, HALF_WIDTH])
@pytest.mark.parametrize("then", [GRAVE_BELOW, "\u0345"])
def test_marks_that_must_be_sorted_take_linear_time(first: str, then: str) -> None:
    text = "a" + first * 100_000 + then * 100_000

    started = time.process_time()
    normalised(text, PLAIN)

    assert time.process_time() - started < 5  # unsafe: a minute


def test_a_joiner_stands_behind_thirty_marks() -> None:
    assert stream_safe("a" + ACUTE * 31) == "a" + ACUTE * 30 + "\u034f" + ACUTE
