"""No text is too much for the parser: caps, bombs, and strings at random."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from random import Random

import pytest

from evalsi_pack_rl.math_equiv.canonical import Budget, OutOfBudget, equal_expressions
from evalsi_pack_rl.math_equiv.syntax import NotParsed, parse
from evalsi_pack_rl.math_equiv.syntax.parser import DEEPEST, MOST_OPERANDS
from evalsi_pack_rl.math_equiv.syntax.tokens import LONGEST, tokens_of
from evalsi_pack_rl.math_equiv.syntax.tree import Call, Node, Number, Power

RANDOM_STRINGS = int(os.environ.get("EVALSI_FUZZ_STRINGS", "20000"))
"""A session of its own sets a million."""

PIECES = re.findall(
    r"\S+",
    r"""
    \frac \sqrt { } { } ( ) ( ) [ ] ^ ^ _ x y n e i 1 2 12 0 1,234 0.5 - + * / = < \le \pi \infty
    \sin \ln \log_2 | | ! % \% \text{or} \text{cm} , , ; \cup \pm \{ \} & \\ \left( \right) \cdot
    \begin{pmatrix} \end{pmatrix} \begin{cases} \end{cases} \begin{array}{cc} \end{array} sqrt pi
    abc word and or ² ½ √ ∞ ° é $ \$ ' # : ... \ldots \mathbb{R} \in \binom \lfloor \rfloor ⑤ ٣
    9^ ** 1e9 f( 0.\overline{3} \hat \mathrm \begin{align} \sum_{k=1}^{9} {n\choose2} \over \not
    """,
)
PIECES += [" ", "\0", "\ud800", "\u202e", "\n"]


def code_of(text: str) -> str:
    try:
        parse(text)
    except NotParsed as error:
        return error.code
    return "parsed"


def nested(pattern: str, levels: int) -> str:
    text = "x"
    for _ in range(levels):
        text = pattern.replace("#", text)
    return text


NESTINGS = [r"\sqrt{1+#}", r"\frac{1}{1+#}", "(1+#)", "|1+#|", r"\sin(#)", "2^{#}", "{#}", r"\{#\}"]


@pytest.mark.parametrize("pattern", NESTINGS)
def test_nesting_is_read_up_to_the_cap_and_refused_beyond(pattern: str) -> None:
    assert code_of(nested(pattern, DEEPEST - 1)) == "parsed"
    assert code_of(nested(pattern, DEEPEST + 1)) == "too-deep"


@pytest.mark.parametrize("pattern", ["2^#", r"\sin#", r"\sqrt#", "-(#", r"\mathrm#"])
def test_nesting_without_end_is_refused(pattern: str) -> None:
    assert code_of(nested(pattern, 200)) in {"too-deep", "malformed"}


def test_a_text_beyond_the_longest_is_refused_before_anything_is_read() -> None:
    assert code_of("{" * 1_000_000) == "too-long"
    assert code_of("1" * LONGEST) == "parsed"
    assert code_of("1" * (LONGEST + 1)) == "too-long"


def test_more_operands_than_the_cap_are_refused() -> None:
    assert code_of("+".join("x" * MOST_OPERANDS)) == "parsed"
    assert code_of("+".join("x" * (MOST_OPERANDS + 1))) == "too-many-nodes"


def test_signs_without_end_are_one_sign() -> None:
    assert parse("-" * 1900 + "5") == parse("5")
    assert parse("-" * 1901 + "5") == parse("-5")


@pytest.mark.parametrize(
    ("text", "kind"),
    [("9^{9^{9^9}}", Power), ("10**10**10", Power), ("1000000!", Call), ("(10^8)!", Call)],
)
def test_a_bomb_is_a_small_tree_because_nothing_is_computed(text: str, kind: type[Node]) -> None:
    assert isinstance(parse(text), kind)


def test_a_number_with_a_huge_exponent_is_not_computed() -> None:
    assert not isinstance(parse("1e999999999"), Number)


REPEATED = ["1", "1a", "A1", "1,234,", " ", r"\text{a", "{", "(", "2^", "-", "xy+", r"\frac1", "|"]
REPEATED += ["1.", "...", r"\begin{", r"\,", r"\left", "1, ", "a and ", r"\\", "1e", "0.", "x_{"]
REPEATED += ["½", "√", "f(", "$", r"\pm1", "abcd", "5 cm ", "°", "1:", "(1,", "1'", "word ", "A_"]


@pytest.mark.parametrize("piece", REPEATED)
def test_the_tokens_of_a_repeated_piece_are_no_more_than_its_characters(piece: str) -> None:
    text = piece * (LONGEST // len(piece))

    assert len(tokens_of("1" + text[1:])) <= 11 * LONGEST + 4  # a vulgar fraction has 11


def test_a_random_string_is_a_tree_or_has_a_code_and_ends_within_its_budget() -> None:
    random = Random(4)
    trees: list[Node] = [parse("x")]
    codes: set[str] = set()
    for _ in range(RANDOM_STRINGS):
        text = "".join(random.choices(PIECES, k=random.choice([2, 4, 8, 16, 60])))
        code = code_of(text)
        codes.add(code)
        if code == "parsed":
            trees.append(parse(text))
    outcomes = {_outcome(one, other) for one, other in pairwise(trees)}
    outcomes |= {_outcome(tree, tree) for tree in trees}

    assert codes >= {"parsed", "malformed", "unknown-command", "unknown-character", "words"}
    assert outcomes <= {"yes", "no", "undecided", "out-of-budget"}
    assert {"yes", "no", "undecided"} <= outcomes


def _outcome(one: Node, other: Node) -> str:
    budget = Budget()
    try:
        return equal_expressions(one, other, budget)
    except OutOfBudget:
        return "out-of-budget"
