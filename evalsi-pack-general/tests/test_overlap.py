"""The arithmetic of token-f1 and fuzzy-match, against plain definitions."""

from __future__ import annotations

import functools
import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi_pack_general.edit_distance import edit_distance, edit_distance_within
from evalsi_pack_general.squad import overlap, squad_words

WORDS = st.lists(st.sampled_from("abcd"), max_size=8)
TEXTS = st.text(alphabet="ab\u00e9\ud83d", max_size=10)


@given(WORDS, WORDS)
def test_f1_does_not_mind_which_text_is_the_reference(one: list[str], other: list[str]) -> None:
    there, back = overlap(one, other), overlap(other, one)

    assert there.f1 == back.f1
    assert (there.precision, there.recall) == (back.recall, back.precision)


@given(WORDS, WORDS)
def test_f1_is_the_harmonic_mean_and_lies_between_precision_and_recall(
    one: list[str], other: list[str]
) -> None:
    f1, precision, recall = overlap(one, other)

    assert 0 <= min(precision, recall) <= f1 + 1e-12
    assert f1 <= max(precision, recall) + 1e-12 <= 1 + 1e-12
    assert f1 * (precision + recall) == pytest.approx(2 * precision * recall)


@given(WORDS, WORDS)
def test_f1_is_1_for_the_same_words_only(one: list[str], other: list[str]) -> None:
    assert (overlap(one, other).f1 == 1) == (Counter(one) == Counter(other))


@given(st.text(alphabet="aATthen .,!'-\u2019\n\t1"))
def test_words_are_those_of_the_squad_script(text: str) -> None:
    lowered = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))

    assert squad_words(text) == re.sub(r"\b(a|an|the)\b", " ", lowered).split()


@given(TEXTS, TEXTS)
def test_the_edit_distance_is_that_of_the_recursive_definition(one: str, other: str) -> None:
    @functools.cache
    def plain(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        same = plain(i - 1, j - 1) + (one[i - 1] != other[j - 1])
        return min(same, plain(i - 1, j) + 1, plain(i, j - 1) + 1)

    assert edit_distance(one, other) == plain(len(one), len(other))


@given(TEXTS, TEXTS, TEXTS)
def test_the_edit_distance_is_a_distance(one: str, other: str, third: str) -> None:
    distance = edit_distance(one, other)

    assert distance == edit_distance(other, one)
    assert (distance == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance <= max(len(one), len(other))
    assert distance <= edit_distance(one, third) + edit_distance(third, other)


@given(st.text(alphabet="ab", max_size=5), st.text(alphabet="ab", max_size=7))
def test_the_distance_to_a_part_is_the_least_over_all_parts(pattern: str, text: str) -> None:
    places = range(len(text) + 1)
    parts = {text[start:end] for start in places for end in places}

    assert edit_distance_within(pattern, text) == min(edit_distance(pattern, p) for p in parts)
