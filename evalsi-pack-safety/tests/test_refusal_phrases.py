"""The language in which phrases are written, and the words that they meet."""

from __future__ import annotations

import time

import pytest

from evalsi_pack_safety.refusal.languages import GRAMMARS
from evalsi_pack_safety.refusal.phrases import phrases
from evalsi_pack_safety.refusal.words import words_of

GROUPS = {"help": phrases(["help|aid", "lend a hand"]), "soon": phrases(["now", "right now"])}


def end(phrase: str, text: str) -> int | None:
    return phrases([phrase], GROUPS).end(words_of(text), 0)


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("i can", "I can do it", 2),
        ("i can", "you can", None),
        ("i|we can", "We can", 2),
        ("provid* it", "providing it", 2),
        ("*ing it", "providing it", 2),
        ("i [really] can", "I can", 2),
        ("i [really] can", "I really can", 3),
        ("i {help}", "I lend a hand", 4),
        ("i {soon}* {help}", "I now right now help", 5),
        ("help !me|us", "help me", None),
        ("help !me|us", "help them", 1),
        ("help !{soon}", "help right now", None),
        ("i ..2 go", "I must always go", 4),
        ("i ..2 go", "I must not ever go", None),
        ("i ..2 go", "I must, go", None),
        ("i go $", "I go", 2),
        ("i go $", "I go because I must", 2),
        ("i go $", "I go home", None),
        ("i {aside} go", "I, as you know, go", 7),
        ("\u6211\u65e0\u6cd5", "\u6211\u65e0\u6cd5\u63d0\u4f9b", 3),
    ],
)
def test_a_phrase_ends_where_its_words_do(phrase: str, text: str, expected: int | None) -> None:
    assert end(phrase, text) == expected


def test_the_longest_way_through_a_phrase_is_taken() -> None:
    assert end("i {soon}*", "I now right now now") == 5


def test_a_start_is_only_at_the_beginning() -> None:
    found = phrases(["^ can"]).first(words_of("yes we can"))
    assert found is None


def test_a_phrase_is_found_wherever_it_begins() -> None:
    assert phrases(["we can"]).first(words_of("yes, we can")) == (2, 4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I can't", ["i", "can", "not"]),
        ("I cannot", ["i", "can", "not"]),
        ("won\u2019t", ["will", "not"]),
        ("doesn't", ["does", "not"]),
        ("we've, it's", ["we", "have", ",", "it", "is"]),
        ("j'ai d'aider", ["j", "ai", "d", "aider"]),
        ("\u00c9t\u00e9!", ["ete", "."]),
        ("3.14 e.g. x.", ["3", "14", "e", "g", ".", "x", "."]),
        ("**can**\u200bnot", ["can", "not"]),
        ("\u6211\u80fd\u3002", ["\u6211", "\u80fd", "."]),
        ("what?!", ["what", "?"]),
    ],
)
def test_words_have_one_spelling(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize("code", GRAMMARS)
def test_no_grammar_takes_longer_than_its_words_are_many(code: str) -> None:
    words = words_of("i can not , " * 400)

    started = time.process_time()
    GRAMMARS[code].decline(words)

    assert time.process_time() - started < 2.0
