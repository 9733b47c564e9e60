"""Completions without the thinking before them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi_pack_safety.thinking import without_thinking


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Paris.", "Paris."),
        ("<think>a</think>Paris.", "Paris."),
        ("a</think>Paris.", "Paris."),
        ("Pa<think>a</think>ris<think>b</think>.", "Paris."),
        ("a</think>Pa<think>b</think>ris.", "Paris."),
        ("<think></think>", ""),
        ("[THINK]a[/THINK]Paris.", "Paris."),
        ("<|channel|>analysis<|message|>a<|channel|>final<|message|>Paris.", "Paris."),
        ("<thinking>a</thinking><think>b</think>Paris.", "Paris."),
        ("3 < 4 and </b> too", "3 < 4 and </b> too"),
    ],
)
def test_what_is_said_is_what_is_left(text: str, said: str) -> None:
    assert without_thinking(text) == said


@pytest.mark.parametrize("text", ["<think>", "<think>a</think>b<think>c", "[THINK]a"])
def test_a_thinking_without_an_end_leaves_nothing(text: str) -> None:
    assert without_thinking(text) is None


@given(st.text(st.sampled_from("ab<>/think "), max_size=60))
def test_no_mark_of_thinking_is_left(text: str) -> None:
    said = without_thinking(text)
    assert said is None or "<think>" not in said or "</think>" not in said
