"""The third tier: tuples, intervals, sets, lists, relations, matrices and the rest, both ways."""

from __future__ import annotations

import pytest

from evalsi_pack_rl.math_equiv.compare import compare
from evalsi_pack_rl.math_equiv.reading import Reading
from evalsi_pack_rl.math_equiv.verdict import LENIENCIES


def decisions(one: str, other: str) -> set[str]:
    """What is decided, from either side."""
    pairs = ((one, other), (other, one))
    return {compare(Reading(a), Reading(b), LENIENCIES).decision for a, b in pairs}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(1, 2.0)", "\\left(1,2\\right)"),
        ("(1; 2)", "(1, 2)"),
        ("1, 2", "(1, 2)"),
        ("x = 1, y = 2", "(1, 2)"),
        ("(x, y) = (1, 2)", "(1, 2)"),
        ("(x, y) = (1, 2)", "x = 1, y = 2"),
        ("\\langle 1, 2, 3\\rangle", "1, 2, 3"),
        ("[1, 2, 3]", "1, 2, 3"),
        ("1, 2", "2, 1"),
        ("1 \\text{ and } 2", "2, 1"),
        ("(1, 2), (3, 4)", "(3, 4), (1, 2)"),
        ("x = 3 \\text{ or } x = -3", "\\pm 3"),
        ("x = \\pm 3", "-3, 3"),
        ("0, \\pm 3", "-3, 0, 3"),
        ("n = 2, 3", "3, 2"),
        ("n = 2, 3", "n = 2, n = 3"),
        ("(\\pm 1, 2)", "(1, 2), (-1, 2)"),
        ("\\{2, 1, 1\\}", "\\{1, 2\\}"),
        ("\\{1, 2\\}", "2, 1"),
        ("\\{5\\}", "5"),
        ("\\{\\}", "\\emptyset"),
        ("red, blue", "blue, red"),
        ("x_1 = 5, x_2 = 4", "4, 5"),
        ("x = 2n\\pi, n \\in \\mathbb{Z}", "2n\\pi"),
        ("\\{1 \\pm \\sqrt{5}, -2\\}", "-2, 1 + \\sqrt{5}, 1 - \\sqrt{5}"),
        ("\\{(1, 2)\\}", "(1, 2)"),
    ],
)
def test_lists_sets_and_tuples_that_are_the_same(one: str, other: str) -> None:
    assert decisions(one, other) == {"yes"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(1, 2)", "(2, 1)"),
        ("(1, 2)", "(1, 2, 3)"),
        ("(1, 2)", "[1, 2]"),
        ("(1, 2]", "[1, 2)"),
        ("[1, 2]", "1, 2"),
        ("(1, 234)", "1234"),
        ("2, 1", "(1, 2)"),
        ("x = 2, y = 1", "(1, 2)"),
        ("x = 2, y = 3", "x = 3, y = 2"),
        ("1", "1, 2"),
        ("1, 2, 2", "1, 2"),
        ("1, 2", "1, 3"),
        ("1, 1, 2", "1, 2, 2"),
        ("(1, 2), (3, 4)", "(1, 4), (3, 2)"),
        ("\\pm 3", "3"),
        ("\\{1\\}", "\\{1, 2\\}"),
        ("\\{1, 2\\}", "(1, 2)"),
        ("\\{0\\}", "\\emptyset"),
        ("even odd", "even"),
        ("red", "red, blue"),
        ("A or C", "A, C"),
        ("1 or 2", "(1, 2)"),
        ("0, 1", "(0, 1]"),
        ("x = 2, y = 1", "\\{1, 2\\}"),
        ("(1, 2), (3, 4)", "\\emptyset"),
        ("x = 3, x = 5", "\\emptyset"),
    ],
)
def test_lists_sets_and_tuples_that_differ(one: str, other: str) -> None:
    assert decisions(one, other) == {"no"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 < x < 2", "(1, 2)"),
        ("x \\in (1, 2)", "1 < x < 2"),
        ("2 > x > 1", "1 < x < 2"),
        ("x \\ge 3", "[3, \\infty)"),
        ("3 \\le x", "x >= 3"),
        ("2x + 1 > 7", "(3, \\infty)"),
        ("-2x > 6", "x < -3"),
        ("1 < 2x - 1 < 5", "(1, 3)"),
        ("x < 0 \\text{ or } x > 1", "(1, \\infty) \\cup (-\\infty, 0)"),
        ("x > 1 \\text{ and } x \\le 3", "(1, 3]"),
        ("\\{x \\mid x > 2\\}", "(2, \\infty)"),
        ("\\{x \\in \\mathbb{R} : x > 2\\}", "x > 2"),
        ("\\mathbb{R} \\setminus \\{0, 1\\}", "(-\\infty,0)\\cup(0,1)\\cup(1,\\infty)"),
        ("x \\ne 2", "\\mathbb{R} \\setminus \\{2\\}"),
        ("(-\\infty, \\infty)", "\\mathbb{R}"),
        ("(1, 3) \\cup [2, 4]", "(1, 4]"),
        ("(1, 3) \\cap [2, 4]", "[2, 3)"),
        ("[0, 1] \\cup \\{2\\}", "\\{2\\} \\cup [0, 1]"),
        ("x > \\sqrt{2}", "(\\sqrt{2}, \\infty)"),
        ("|x| > 1", "x < -1 \\text{ or } x > 1"),
        ("|x - 2| \\le 3", "[-1, 5]"),
        ("x < -1, x > 1", "x < -1 \\text{ or } x > 1"),
        ("\\text{all real numbers}", "\\mathbb{R}"),
        ("(-\\infty, 0) U (1, \\infty)", "(-\\infty, 0) \\cup (1, \\infty)"),
        ("(\\sqrt{2}, \\pi) \\cup (4, 5)", "(4, 5) \\cup (\\sqrt{2}, \\pi)"),
    ],
)
def test_regions_of_the_real_line_that_are_the_same(one: str, other: str) -> None:
    assert decisions(one, other) == {"yes"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x > 3", "x \\ge 3"),
        ("x > 3", "x < 3"),
        ("x > 3", "y > 3"),
        ("x > 3", "4"),
        ("x > 3", "3"),
        ("(3, \\infty)", "[3, \\infty)"),
        ("-2x > 6", "x > -3"),
        ("x < 0 \\text{ or } x > 1", "(0, 1)"),
        ("x < 0 \\text{ or } x > 1", "x < 0"),
        ("(-\\infty,0) \\cap (1,\\infty)", "(-\\infty,0) \\cup (1,\\infty)"),
        ("\\mathbb{R}", "\\mathbb{Z}"),
        ("\\mathbb{R}", "5"),
        ("\\{q : x > 2\\}", "(2, \\infty)"),
        ("(-\\infty,0), (1,\\infty)", "(-\\infty,0) \\cup (1,\\infty)"),
        ("x \\in \\mathbb{R}", "x = 5"),
        ("x \\ne 2", "2"),
        ("(1, 2) \\cup (2, 3)", "(1, 3)"),
    ],
)
def test_regions_of_the_real_line_that_differ(one: str, other: str) -> None:
    assert decisions(one, other) == {"no"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 5", "5"),
        ("5 = x", "x = 5"),
        ("f(2) = 7", "7"),
        ("P(A) = \\frac{1}{4}", "0.25"),
        ("AB = 5", "5"),
        ("\\angle ABC = 50^\\circ", "50"),
        ("\\text{Area} = 5", "5"),
        ("Total: 5", "5"),
        ("the answer is 5", "5"),
        ("18 (rounded from 17.6)", "18"),
        ("f(x) = x^2", "x^2"),
        ("x = y", "y = x"),
        ("6:30 PM", "18:30"),
        ("20 June", "June 20th"),
        ("20th of June 2020", "June 20 2020"),
        ("3 to 2", "3:2"),
        ("6:30 PM", "6:30"),
        ("3:2", "3 : 2"),
        ("2516_8", "1358"),
        ("\\begin{pmatrix}0.5\\\\2\\end{pmatrix}", "\\begin{bmatrix}1/2\\\\2\\end{bmatrix}"),
        ("[[1,2],[3,4]]", "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}"),
        ("2\\text{ (mod 7)}", "2"),
        ("2\\pi \\text{ cm}", "2\\pi"),
        ("\\sqrt{2} \\approx 1.414", "\\sqrt{2}"),
        ("A = \\pi r^2 = 9\\pi", "9\\pi"),
        ("x \\in \\{3, 5\\}", "3, 5"),
        ("\\color{red}{5}", "5"),
        ("\\begin{vmatrix}1&2\\\\3&4\\end{vmatrix}", "-2"),
    ],
)
def test_stated_values_and_other_forms_that_are_the_same(one: str, other: str) -> None:
    assert decisions(one, other) == {"yes"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 5", "6"),
        ("x = 5", "x = 6"),
        ("a + b = 3", "3"),
        ("2x = 8", "8"),
        ("x = x", "5"),
        ("x = 3 = 7", "7"),
        ("2 + 2 = 5", "5"),
        ("it is not 5", "5"),
        ("5 (or 6)", "5"),
        ("~18", "18"),
        ("about 18", "18"),
        ("6:30 AM", "6:30 PM"),
        ("2:30", "1:15"),
        ("12:00", "1:00"),
        ("101_2", "101_3"),
        ("x \\approx 5", "5"),
        ("5 or so", "5"),
        ("not x = 5", "5"),
        ("2x \\in \\{3, 5\\}", "3, 5"),
        ("\\pi \\approx 3.14", "3.14"),
        ("0 = 0", "x = 7"),
        ("2 + 2 = 5", "x = 7"),
        ("2\\pi \\text{ cm}", "2\\pi \\text{ kg}"),
        ("\\begin{pmatrix}1\\\\2\\end{pmatrix}", "\\begin{pmatrix}1&2\\end{pmatrix}"),
        ("\\begin{pmatrix}1\\\\2\\end{pmatrix}", "(1, 2)"),
        ("\\begin{vmatrix}1&2\\\\3&4\\end{vmatrix}", "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}"),
    ],
)
def test_stated_values_and_other_forms_that_differ(one: str, other: str) -> None:
    assert decisions(one, other) == {"no"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("y = 2x + 1", "2x - y + 1 = 0"),
        ("y = 2x + 1", "2y = 4x + 2"),
        ("x^2 + y^2 = 4", "4 - x^2 = y^2"),
        ("y > 2x + 1", "2x + 1 < y"),
        ("2y > 4x + 2", "y > 2x + 1"),
    ],
)
def test_a_relation_is_the_same_turned_moved_and_scaled(one: str, other: str) -> None:
    assert decisions(one, other) == {"yes"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("y = 2x + 1", "y = 2x - 1"),
        ("x^2 + y^2 = 4", "x^2 + y^2 = 2"),
        ("3x - y + 13 = 0", "3x + 4y + 14 = 0"),
        ("x = 0", "x^2 = 0"),
        ("0 = 0", "x = 5"),
        ("y > 2x + 1", "y < 2x + 1"),
        ("y > 2x + 1", "y \\ge 2x + 1"),
        ("-2y > 4x + 2", "2y > -4x - 2"),
    ],
)
def test_other_relations_differ(one: str, other: str) -> None:
    assert decisions(one, other) == {"no"}


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("(A)", "A", True),
        ("\\textbf{(A)}", "A.", True),
        ("A) 12", "A", True),
        ("(A) 12", "(B) 12", False),
        ("Option C", "C", True),
        ("(a)", "A", True),
        ("A", "B", False),
        ("A or B", "A", False),
        ("A) 5, B) 6", "A", False),
        ("(A) or 7", "A", False),
        ("(A) is wrong", "A", False),
        ("(A) + 5", "5", False),
        ("(A) 5", "5", True),
        ("B, D", "D, B", True),
        ("(B), (D)", "B and D", True),
        ("BD", "B, D", True),
        ("B", "B, D", False),
        ("ABD", "B, D", False),
    ],
)
def test_letters_of_multiple_choice(one: str, other: str, equal: bool) -> None:
    assert decisions(one, other) == {"yes" if equal else "no"}


def numbered(count: int, item: str, first: int = 2) -> str:
    return ", ".join(item.replace("@", str(first + at)) for at in range(count))


def nested(depth: int, leaf: str) -> str:
    return leaf if not depth else f"\\{{{nested(depth - 1, leaf)}, {nested(depth - 1, '5')}, 2\\}}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (numbered(60, "\\sqrt{@}"), numbered(60, "\\sqrt{@}", 300)),
        (f"\\{{{numbered(60, 'x+@y')}\\}}", f"\\{{{numbered(60, '@y+x+1')}\\}}"),
        (nested(5, "3"), nested(5, "4")),
        ("\\{" * 20 + "1" + ", 2\\}" * 20, "\\{" * 20 + "1" + ", 3\\}" * 20),
    ],
)
def test_more_than_a_few_items_that_differ_are_out_of_budget_always(one: str, other: str) -> None:
    verdicts = {
        compare(Reading(a), Reading(b), LENIENCIES)
        for a, b in [(one, other), (one, other), (other, one)]
    }

    assert {(verdict.decision, verdict.reason) for verdict in verdicts} == {("no", "out-of-budget")}


def test_many_items_that_are_written_alike_cost_little() -> None:
    items = [f"\\sqrt{{{at}}}" for at in range(2, 102)]

    assert decisions(", ".join(items), ", ".join(reversed(items))) == {"yes"}


def test_the_verdict_on_a_structure_names_what_is_still_open() -> None:
    verdict = compare(Reading("(1, f(g(x)))"), Reading("(1, g(f(x)))"), LENIENCIES)

    assert verdict.decision == "undecided"
    assert len(verdict.open) == 1
