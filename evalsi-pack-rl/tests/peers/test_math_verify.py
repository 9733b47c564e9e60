"""math-verify as a backend: its own verdicts, in workers that are killed, in any thread."""

from __future__ import annotations

import json
import os
import threading
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from extract import rows_of

from evalsi.core import Need
from evalsi.core.engine import close_engine, tools_for
from evalsi_pack_rl.math_equiv.symbolic import MathVerify, SymbolicAnswer, backend_name, missing

ROWS = Path(__file__).parents[3] / "testdata" / "math_peer_cases.jsonl"


@pytest.fixture(scope="module")
def workers():
    yield tools_for({Need.WORKERS}, None).workers
    close_engine()


@pytest.mark.parametrize(
    ("reference", "answer", "expected"),
    [
        ("1/2", "0.5", SymbolicAnswer("yes", "equal-symbolic")),
        (r"\frac{1}{2}", r"\dfrac12", SymbolicAnswer("yes", "equal-symbolic")),
        (r"\sin^2 x", r"1-\cos^2 x", SymbolicAnswer("yes", "equal-symbolic")),
        (r"(-\infty, 3)", "x<3", SymbolicAnswer("no", "different-symbolic")),
        ("x<3", r"(-\infty, 3)", SymbolicAnswer("yes", "equal-symbolic")),
        ("(1,2)", "(2,1)", SymbolicAnswer("no", "different-symbolic")),
        ("3", "", SymbolicAnswer("undecided", "unsupported")),
    ],
)
def test_it_says_what_math_verify_says(workers, reference, answer, expected):
    assert MathVerify(workers).equal([(reference, answer)]) == [expected]


def test_a_bomb_costs_its_own_pair_only_and_two_seconds(workers):
    begun = time.monotonic()
    bomb = ("3", "9^{9^{9^9}}")
    answers = MathVerify(workers).equal([("1", "1"), bomb, ("1", "2"), bomb, ("2", "2")])
    assert [answer.decision for answer in answers] == ["yes", "undecided", "no", "undecided", "yes"]
    assert answers[1] == SymbolicAnswer("undecided", "timeout", stable=False)
    assert time.monotonic() - begun < 10.0


def test_it_answers_in_threads(workers):
    found = []
    pairs = [("1/2", "0.5"), ("1/2", "0.6")]
    threads = [
        threading.Thread(target=lambda: found.append(MathVerify(workers).equal(pairs)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [[answer.decision for answer in answers] for answers in found] == [["yes", "no"]] * 4


def test_the_backend_is_named_with_its_version():
    wanted = f"math-verify {version('math-verify')}, sympy {version('sympy')}"
    assert backend_name("math-verify") == wanted
    assert missing("math-verify") == ""


def test_the_peer_cases_are_what_math_verify_says():
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify

    targets = [LatexExtractionConfig(boxed_match_priority=0), ExprExtractionConfig()]
    others = []
    for case in map(json.loads, ROWS.read_text("utf-8").splitlines()):
        options = dict(case.get("options", {}))
        digits = options.pop("precision", 6)
        gold, answer = (parse(case[side], targets) for side in ("gold", "answer"))
        if verify(gold, answer, float_rounding=digits, **options) is not case["equal"]:
            others.append(case["id"])
    # Their test of these two looks for LaTeX only, and finds none.
    assert others == ["all.latex_notation.6", "all.latex_notation.7"]


def test_the_peer_cases_are_those_of_the_source_distribution():
    """The session downloads it and says where it is."""
    fresh = list(rows_of(os.environ["EVALSI_MATH_VERIFY_SDIST"]))
    assert fresh == [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
