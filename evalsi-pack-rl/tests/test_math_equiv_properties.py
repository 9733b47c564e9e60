"""What holds for every answer: reflexive, symmetric, blind to wrapping and spacing, never long."""

from __future__ import annotations

import os
import random
import re
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evalsi.core.evaluator import Tools
from evalsi.core.records import Record
from evalsi.core.results import Errored, Score, Skipped
from evalsi_pack_rl.math_equiv import MathEquiv, MathEquivParams
from evalsi_pack_rl.math_equiv.compare import compare
from evalsi_pack_rl.math_equiv.reading import Reading
from evalsi_pack_rl.math_equiv.spelling import cleaned, trimmed
from evalsi_pack_rl.math_equiv.verdict import LENIENCIES, Verdict

RANDOM_TEXTS = int(os.environ.get("EVALSI_FUZZ_STRINGS", "20000"))
"""A session of its own sets a million."""

GROUPED = re.compile(r"\d,\d")
EVALUATOR = MathEquiv(MathEquivParams(backend="plain"), Tools())

numbers = st.one_of(
    st.integers(-999, 9999).map(str),
    st.decimals(-99, 99, places=2).map(str),
    st.tuples(st.integers(-99, 99), st.integers(1, 99)).map("\\frac{%d}{%d}".__mod__),
    st.tuples(st.integers(-99, 99), st.integers(1, 99)).map("%d/%d".__mod__),
    st.integers(1000, 9_999_999).map("{:,}".format),
    st.integers(0, 100).map("{}\\%".format),
)
atoms = st.one_of(
    numbers,
    st.sampled_from(["x", "y", "n", "\\pi", "\\sqrt{2}", "2\\sqrt{3}", "x^2", "x_1", "i", "e"]),
)
expressions = st.one_of(
    atoms,
    st.tuples(atoms, st.sampled_from("+-*"), atoms).map("".join),
    st.tuples(atoms, atoms).map("\\frac{%s}{%s}".__mod__),
    atoms.map("\\sqrt{{{}}}".format),
    atoms.map("({})^2".format),
)
lists = st.lists(expressions, min_size=2, max_size=4).map(", ".join)
answers = st.one_of(
    expressions,
    lists,
    lists.map("\\left({}\\right)".format),
    lists.map("\\{{{}\\}}".format),
    st.tuples(numbers, numbers).map("[%s, %s)".__mod__),
    st.tuples(st.sampled_from("xyn"), st.sampled_from("=<>"), expressions).map(" ".join),
    st.tuples(numbers, st.sampled_from([" cm", " \\text{ apples}", "^\\circ"])).map("".join),
    st.sampled_from(["A", "(B)", "C) 12", "B, D", "\\text{even}", "no solution", "6:30 PM"]),
    st.sampled_from(["\\pm 3", "x<0 \\text{ or } x>1", "\\mathbb{R}", "\\emptyset", "3:2"]),
)
noise = st.text(
    st.sampled_from("\\{}[]()$^_,.;:=<>+-*/!|&~# \n0123456789abxABsqrtfcboxd"), max_size=40
)


def verdict(one: str, other: str) -> Verdict:
    return compare(Reading(one), Reading(other), LENIENCIES)


def value(completion: str, reference: str) -> float:
    (given,) = EVALUATOR.score_batch([Record("1", output=completion, reference=reference)])
    assert isinstance(given, Score)
    return given.value


@given(answers)
def test_an_answer_equals_itself(answer: str) -> None:
    assert verdict(answer, answer).decision == "yes"


@given(noise)
def test_a_text_that_states_anything_equals_itself(text: str) -> None:
    assume(cleaned(trimmed(text)))

    assert verdict(text, text).decision == "yes"


@given(answers, answers)
def test_two_answers_are_compared_alike_from_both_sides(one: str, other: str) -> None:
    assert verdict(one, other).decision == verdict(other, one).decision


@given(answers | noise, answers | noise)
@settings(max_examples=300)
def test_any_two_texts_are_compared_alike_from_both_sides(one: str, other: str) -> None:
    assert verdict(one, other).decision == verdict(other, one).decision


@given(answers, answers)
def test_wrapping_changes_no_verdict(one: str, other: str) -> None:
    plain = verdict(one, other).decision

    assert verdict(f"${one}$", other).decision == plain
    assert verdict(f"\\({one}\\)", f" {other}\n").decision == plain
    assert verdict(f"\\[ {one} \\]", f"$$ {other} $$.").decision == plain


@given(answers, answers)
def test_spacing_and_left_right_change_no_verdict(one: str, other: str) -> None:
    spaced = one.replace(",", ",\\ ").replace("\\left", "").replace("\\right", "")
    sized = one.replace("\\left", "\\bigl").replace("\\right", "\\bigr")
    assume(not GROUPED.search(one))  # `1,234` and `1, 234` are other answers

    assert verdict(spaced, other).decision == verdict(one, other).decision
    assert verdict(sized, other).decision == verdict(one, other).decision


@given(answers)
def test_a_gold_in_a_sentence_is_found_and_equal(gold: str) -> None:
    assume(not gold.startswith("\\text"))

    for sentence in (
        "We compute step by step.\n\nTherefore the answer is $\\boxed{@}$.",
        "<think>It could be 17.</think>\nSo \\boxed{@}",
        "<think>Hm, 3?</think><answer>@</answer>",
        "Since 2 + 2 = 4, we are done.\n#### @",
    ):
        assert value(sentence.replace("@", gold), gold) == 1.0


@pytest.mark.parametrize(
    "gold",
    [
        *("72", "18", "3", "70000", "540", "1,080", "2.5", "-4", "0.5", "1/4", "\\$12.50", "45%"),
        *("3.14", "120 miles", "7 pm", "\\frac{3}{56}", "\\frac{9}{7}", "2\\sqrt{113}", "x^2+1"),
        *("(3, \\frac{\\pi}{2})", "[-2, 7]", "(-\\infty, 2) \\cup (3, \\infty)", "6 - 5i", "p - q"),
        *(
            "\\text{Evelyn}",
            "\\text{even}",
            "(C)",
            "5,1,-2",
            "\\{1, 3\\}",
            "y = 2x + 3",
            "x \\ge 4",
        ),
        *("\\begin{pmatrix} 1/5 \\\\ -18/5 \\end{pmatrix}", "4210_5", "90^\\circ", "11\\sqrt2"),
    ],
)
@pytest.mark.parametrize(
    "sentence",
    [
        "So the result is \\boxed{@}.",
        "The answer is $@$.",
        "The answer is @.",
        "Final Answer: The final answer is $@$. I hope it is correct.",
        "**Answer:** $@$",
        "#### @",
        "<answer>@</answer>",
    ],
)
def test_golds_of_the_kinds_of_gsm8k_and_math_are_found_in_a_sentence(
    sentence: str, gold: str
) -> None:
    assert value(sentence.replace("@", gold), gold) == 1.0


def test_random_texts_raise_nothing_and_take_no_time() -> None:
    chance = random.Random(4)
    pieces = [
        *("\\boxed{", "\\frac{", "\\sqrt{", "\\text{", "\\left(", "\\right)", "\\{", "\\}", "}"),
        *("<think>", "</think>", "<answer>", "</answer>", "####", "The answer is ", "\n", " or "),
        *("(", ")", "[", "]", "$", "^", "_", ",", ".", "=", "<", "+", "-", "*", "/", "!", "%", "|"),
        *("\\begin{pmatrix}", "\\end{pmatrix}", "&", "\\\\", "\\pm", "\\cup", "\\pi", "\\infty"),
        *("9999999999", "1,234", "0.5", "1e999", "7", "2", "x", "y", "sin", "log", "mod", "\ud800"),
        *("\\binom{", "\\log_", "\\int", "\\sum", "^{\\circ}", "\u0663", "\u00bd", "\u221a", "\0"),
    ]
    slow, last = [], "7"
    for at in range(RANDOM_TEXTS):
        text = "".join(chance.choices(pieces, k=chance.randint(1, 40)))
        record, last = Record(str(at), output=text, reference=last), text
        started = time.perf_counter()
        (given,) = EVALUATOR.score_batch([record])
        if time.perf_counter() - started > 0.05:
            slow.append(record)
        assert isinstance(given, Score | Skipped | Errored)
        assert not isinstance(given, Errored) or given.failure.kind == "data"

    assert [record.output for record in slow if _seconds(record) > 0.05] == []


def _seconds(record: Record) -> float:
    """The least of three tries on a new evaluator: what the machine was busy with, not the row."""
    tries = []
    for _ in range(3):
        evaluator = MathEquiv(MathEquivParams(backend="plain"), Tools())
        started = time.perf_counter()
        evaluator.score_batch([record])
        tries.append(time.perf_counter() - started)
    return min(tries)


@pytest.mark.parametrize(
    "unit",
    [
        *("1 ", "a ", "*", "** a", "$", "^{2}", "\\text{", "1,000", "=", " = x", "°", "1 cm "),
        *("m/s", "9", "(", ")", "\\{", "\\frac{1}{", "\\sqrt", "{", "x+", "-", "1/", "A, ", "'"),
        *("\\,", "\\\\", "is ", ": ", "or ", "\u200b", "\u00b2", "%", "0.", "\\overline{3}", "("),
    ],
    ids=ascii,
)
def test_twice_the_answer_takes_about_twice_the_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        tries = []
        for _ in range(3):
            started = time.perf_counter()
            compare(Reading(text), Reading("5"), LENIENCIES)
            compare(Reading("5" + text), Reading(text + "5"), LENIENCIES)
            tries.append(time.perf_counter() - started)
        return min(tries)

    seconds(1000)

    # A step for each pair of characters would take sixteen times as long.
    assert seconds(80_000) < 8 * seconds(20_000) + 0.02
