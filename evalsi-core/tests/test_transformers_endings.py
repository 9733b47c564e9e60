"""When a text of a batch ends: each on its own, with the exact reason."""

import time

import pytest

from evalsi.core.connectors.transformers.endings import Endings, Row

END = 0


def decode(tokens):
    """Each token is the character of that number; token 1 has no text."""
    return "".join(chr(token) for token in tokens if token != 1)


def written(*texts, limit=20, stops=(), timeout_s=60.0):
    """Rows that took the characters of these texts, one of each a step."""
    rows = [Row(limit) for _ in texts]
    endings = Endings(rows, frozenset({END}), stops, decode, timeout_s)
    for column in zip(*texts, strict=True):
        endings.take([ord(letter) for letter in column])
    return rows, [endings.text(row) for row in rows]


@pytest.mark.parametrize(
    ("text", "options", "finish", "left", "tokens"),
    [
        ("ab\0", {}, "stop", "ab", 3),
        ("\0", {}, "stop", "", 1),
        ("ab", {}, "", "ab", 2),
        ("abc", {"limit": 3}, "length", "abc", 3),
        ("ab\0", {"limit": 3}, "stop", "ab", 3),
        ("ab\ncd", {"stops": ["\n"]}, "stop", "ab", 3),
        ("abcd", {"stops": ["cd", "bc"]}, "stop", "a", 3),
        ("abEND", {"stops": ["END"], "limit": 5}, "stop", "ab", 5),
        ("ab\1\1\1END", {"stops": ["END"]}, "stop", "ab", 8),
        ("END", {"stops": ["END"]}, "stop", "", 3),
        ("EN", {"stops": ["END"], "limit": 2}, "length", "EN", 2),
    ],
    ids=[
        "an end token",
        "at once",
        "not yet",
        "the limit",
        "an end token at the limit",
        "a stop text",
        "the first of two",
        "a stop text at the limit",
        "behind silent tokens",
        "nothing else",
        "half a stop text",
    ],
)
def test_a_text_ends(text, options, finish, left, tokens):
    (row,), (found,) = written(text, **options)
    assert (row.finish, found, len(row.tokens)) == (finish, left, tokens)


def test_what_comes_after_the_end_is_no_part_of_a_text():
    (first, second), texts = written("a\0zzz", "abcd\0")
    assert texts == ["a", "abcd"]
    assert (len(first.tokens), len(second.tokens)) == (2, 5)


def test_all_that_run_when_the_time_is_over_end_then():
    rows = [Row(9), Row(9)]
    endings = Endings(rows, frozenset({END}), [], decode, 0.5)
    assert endings.take([END, 65]) == [True, False]
    time.sleep(0.6)
    assert endings.take([65, 65]) == [True, True]
    assert [row.finish for row in rows] == ["stop", "timeout"]
    assert rows[0].seconds < 0.5 < rows[1].seconds


def test_an_end_that_comes_late_is_an_end():
    endings = Endings([row := Row(9)], frozenset({END}), [], decode, 0.0)
    endings.take([END])
    assert row.finish == "stop"


def test_a_text_that_nobody_waits_for_ends():
    endings = Endings([row := Row(9, lambda: True)], frozenset({END}), [], decode, 60.0)
    assert endings.take([65]) == [True]
    assert row.finish == "gone"
