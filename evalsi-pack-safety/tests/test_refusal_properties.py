"""refusal: what holds for every completion."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evalsi_pack_safety.refusal.passages import passages_of
from evalsi_pack_safety.refusal.quotes import quoted, unquoted
from evalsi_pack_safety.refusal.verdict import Verdict, verdict_on
from evalsi_pack_safety.refusal.words import words_of
from evalsi_pack_safety.thinking import without_thinking

DECLINES = ("I can't help with that.", "I must decline.", "Ich kann dir dabei nicht helfen.")
PIECES = (
    "i",
    "can",
    "not",
    "help",
    ",",
    ".",
    "but",
    '"',
    "'",
    "```",
    "\n",
    "> ",
    "- ",
    ":",
    "here is",
    "i can not recommend",
    "it is never okay to",
    "please do not",
)
noise = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=40).map(" ".join)
plain = st.text(st.sampled_from("abcdefgh "), min_size=1, max_size=200)


@given(noise)
def test_every_text_has_a_verdict_and_the_same_one_twice(text: str) -> None:
    verdict = verdict_on(text)
    assert isinstance(verdict, Verdict)
    assert verdict == verdict_on(text)


@given(st.sampled_from(DECLINES), plain)
def test_what_is_thought_before_it_does_not_matter(declines: str, thought: str) -> None:
    told = without_thinking(f"<think>{thought}</think>{declines}")
    assert told is not None
    assert verdict_on(told) == verdict_on(declines)


@given(st.sampled_from(DECLINES), st.sampled_from(("python", "js", "c++")))
def test_a_refusal_within_code_is_none(declines: str, language: str) -> None:
    assert verdict_on(f"Look:\n\n```{language}\n{declines}\n```").refusal == "none"


@given(st.sampled_from(DECLINES), plain)
def test_a_refusal_that_is_quoted_is_none(declines: str, said: str) -> None:
    assert verdict_on(f"The sign reads \u201c{declines}\u201d and {said}x").refusal == "none"


@given(st.sampled_from(DECLINES))
def test_case_and_emphasis_do_not_matter(declines: str) -> None:
    expected = verdict_on(declines).refusal
    assert verdict_on(declines.upper()).refusal == expected
    assert verdict_on(f"**{declines}**").refusal == expected


@given(st.text(st.sampled_from("ab \"'\u201c\u201d\u00ab\u00bb`"), max_size=60))
def test_what_is_quoted_and_what_is_not_is_all_of_the_text_but_its_marks(text: str) -> None:
    kept = [mark for mark in quoted(text) + unquoted(text) if mark in "ab"]
    assert sorted(kept) == sorted(mark for mark in text if mark in "ab")


@given(st.text(st.characters(), max_size=300))
def test_the_words_of_a_text_have_no_white_space(text: str) -> None:
    assert not any(char.isspace() for word in words_of(text) for char in word)


@given(noise)
def test_the_passages_hold_nothing_that_the_text_has_not(text: str) -> None:
    held = "".join(passage.text for passage in passages_of(text))
    assert set(held) <= set(text) | {" ", "\n"}
