"""Evidence: plain data of a bounded size, whatever an evaluator hands over."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from evalsi.core.evidence import bounded_evidence


@pytest.mark.parametrize(
    "evidence",
    [None, True, 0, 1.5, "text", [1, [2, {"a": None}]], {"predicted": "4", "expected": "5"}],
    ids=repr,
)
def test_small_evidence_stays_as_it_is(evidence: Any) -> None:
    assert bounded_evidence(evidence) == evidence


def test_a_string_of_two_kibibytes_stays() -> None:
    assert bounded_evidence("x" * 2048) == "x" * 2048


def test_a_longer_string_is_cut_and_marked() -> None:
    assert bounded_evidence("x" * 2049) == "x" * 2048 + "… (1 bytes cut)"


def test_a_string_is_cut_by_bytes_between_characters() -> None:
    assert bounded_evidence("é" * 1025) == "é" * 1024 + "… (2 bytes cut)"


@pytest.mark.parametrize(
    ("evidence", "shown"),
    [
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (1 << 2048, "an integer of 2049 bits"),
        ({1}, "set: {1}"),
        (b"raw", "bytes: b'raw'"),
        ({1: (2,)}, {"1": [2]}),
    ],
    ids=["nan", "infinity", "integer", "set", "bytes", "keys-and-tuples"],
)
def test_what_json_cannot_hold_is_told_in_words(evidence: Any, shown: object) -> None:
    assert bounded_evidence(evidence) == shown


def nested(depth: int) -> Any:
    value: Any = "deep"
    for _ in range(depth):
        value = [value]
    return value


CYCLE: list[Any] = []
CYCLE.append(CYCLE)

BOMBS = {
    "strings": ["x" * 2048] * 1000,
    "numbers": list(range(1_000_000)),
    "long-numbers": [1 << 1000] * 100_000,
    "keys": {f"key {number}": number for number in range(100_000)},
    "long-keys": {f"{number}" * 5000: "" for number in range(10)},
    "deep": nested(100_000),
    "cycle": CYCLE,
    "wide-cycle": [CYCLE, CYCLE] * 10_000,
    "surrogates": ["\ud800" * 5000] * 100,
    "nul": "\x00" * 100_000,
}


@pytest.mark.parametrize("evidence", BOMBS.values(), ids=BOMBS)
def test_evidence_is_small_whatever_it_was(evidence: Any) -> None:
    # 16 KiB of content; escapes and punctuation of JSON come on top.
    assert len(json.dumps(bounded_evidence(evidence), allow_nan=False)) < 8 * 16 * 1024


def test_a_list_that_is_cut_says_how_much_is_missing() -> None:
    evidence: Any = bounded_evidence(["x" * 2048] * 100)
    assert evidence[-1] == "… 92 more (cut)"
