"""math-verify's own published cases, as `math-equiv` judges them; where we differ, and why.

The cases are data of math-verify 0.9.0's source distribution (Apache-2.0, see
`testdata/math_peer_cases.md`); each difference is listed with its reason, and none is left over.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evalsi.core import Need
from evalsi.core.engine import close_engine, tools_for
from evalsi.core.records import Record
from evalsi.core.results import Errored
from evalsi_pack_rl.math_equiv import MathEquiv, MathEquivParams

DATA = Path(__file__).parents[2] / "testdata"
PROSE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,} +[A-Za-z]{2,}|[\n$]|\\boxed")


def rows(name):
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def completion(answer):
    """A formula alone goes into a box; prose, which says itself what its answer is, stays."""
    text = answer.strip()
    formula = text[1:-1] if len(text) > 2 and text[0] == text[-1] == "$" else text
    return text if PROSE.search(formula) else f"\\boxed{{{formula}}}"


@pytest.fixture(scope="module")
def found():
    """Our verdict by case: equal, not, or None for a reference that is refused."""
    cases = rows("math_peer_cases.jsonl")
    records = [
        Record(case["id"], output=completion(case["answer"]), reference=case["gold"])
        for case in cases
    ]
    try:
        tools = tools_for({Need.WORKERS}, None)
        answers = MathEquiv(MathEquivParams(backend="sympy"), tools).score_batch(records)
    finally:
        close_engine()
    return {
        case["id"]: None if isinstance(answer, Errored) else answer.value == 1.0
        for case, answer in zip(cases, answers, strict=True)
    }


def test_every_difference_is_listed_and_every_one_that_is_listed_is_there(found):
    expected = {case["id"]: case["equal"] for case in rows("math_peer_cases.jsonl")}
    differences = {name: ours for name, ours in found.items() if ours is not expected[name]}
    listed = {row["id"]: row["ours"] for row in rows("math_peer_differences.jsonl")}
    assert differences == listed


def test_every_difference_has_a_reason():
    assert [row["id"] for row in rows("math_peer_differences.jsonl") if len(row["why"]) < 20] == []


def test_what_we_accept_and_they_do_not_is_rare():
    accepted = [row["id"] for row in rows("math_peer_differences.jsonl") if row["ours"]]
    assert len(accepted) <= 3
