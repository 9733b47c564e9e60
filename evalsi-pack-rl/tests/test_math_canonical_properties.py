"""A random expression, printed: equal to itself however it is spaced, and to nothing beside it."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evalsi_pack_rl.math_equiv.canonical import Budget, Decision, OutOfBudget, equal_expressions
from evalsi_pack_rl.math_equiv.canonical.budget import Undefined, Unsupported
from evalsi_pack_rl.math_equiv.canonical.reading import Reader
from evalsi_pack_rl.math_equiv.syntax import parse
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Constant,
    Node,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
)

LEAVES = st.one_of(
    st.integers(-9, 9).map(lambda value: Number(Fraction(value))),
    st.fractions(-5, 5, max_denominator=12).map(Number),
    st.sampled_from(["x", "y", "alpha", "x_1"]).map(Symbol),
    st.sampled_from(["pi", "e"]).map(Constant),
)
EXPONENTS = st.sampled_from(["2", "3", "-1", "1/2", "-2", "1/3"]).map(
    lambda text: Number(Fraction(text))
)
NAMES = st.sampled_from(["sin", "cos", "tan", "ln", "abs", "floor", "factorial", "arctan"])


def larger(smaller: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    pairs = st.lists(smaller, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        pairs.map(Sum),
        pairs.map(Product),
        st.builds(Power, smaller, EXPONENTS),
        st.builds(lambda name, argument: Call(name, (argument,)), NAMES, smaller),
    )


POLYNOMIALS = st.recursive(
    st.sampled_from(["x", "y", "3", r"\frac12", r"\sqrt2"]),
    lambda texts: st.one_of(
        st.builds("({}+{})".format, texts, texts), st.builds(r"{} \cdot {}".format, texts, texts)
    ),
    max_leaves=8,
)
EXPRESSIONS = st.recursive(LEAVES, larger, max_leaves=8)


def printed(node: Node) -> str:
    """The expression as LaTeX, with more brackets than it needs."""
    if isinstance(node, Number):
        top, bottom = node.value.numerator, node.value.denominator
        return f"({top})" if bottom == 1 else rf"(-\frac{{{-top}}}{{{bottom}}})"
    if isinstance(node, Symbol | Constant):
        return node.name if node.name in {"x", "y", "e", "x_1"} else f"\\{node.name} "
    if isinstance(node, Sum):
        return "(" + "+".join(map(printed, node.terms)) + ")"
    if isinstance(node, Product):
        return r" \cdot ".join(map(printed, node.factors))
    if isinstance(node, Power):
        return f"({printed(node.base)})^{{{printed(node.exponent)}}}"
    assert isinstance(node, Call)
    inside = printed(node.arguments[0])
    special = {"abs": f"|{inside}|", "factorial": f"({inside})!"}
    special["floor"] = rf"\lfloor {inside} \rfloor"
    return special.get(node.name, rf"\{node.name}({inside})")


def outcome(one: str, other: str) -> Decision | str:
    try:
        return equal_expressions(parse(one), parse(other), Budget())
    except OutOfBudget:
        return "out-of-budget"


def has_form(text: str) -> bool:
    try:
        Reader(Budget()).read(parse(text))
    except (Undefined, Unsupported, OutOfBudget):
        return False
    return True


@given(EXPRESSIONS)
def test_a_printed_expression_equals_itself(node: Node) -> None:
    text = printed(node)
    assume(has_form(text))

    assert outcome(text, text) == "yes"


@given(EXPRESSIONS)
def test_an_expression_differs_from_itself_plus_one(node: Node) -> None:
    text = printed(node)

    assert outcome(text, f"{text}+1") in {"no", "undecided", "out-of-budget"}


@given(POLYNOMIALS)
def test_a_polynomial_surely_differs_from_itself_plus_one(text: str) -> None:
    assert outcome(text, f"{text}+1") == "no"


@given(EXPRESSIONS, EXPRESSIONS)
def test_the_order_of_the_two_does_not_matter(one: Node, other: Node) -> None:
    left, right = printed(one), printed(other)

    assert outcome(left, right) == outcome(right, left)


@given(EXPRESSIONS)
@settings(max_examples=50)
def test_spacing_and_left_and_right_do_not_matter(node: Node) -> None:
    text = printed(node)
    spaced = text.replace("(", r" \left( ").replace(")", r"\,\right) ").replace("+", " + ")

    assert parse(spaced) == parse(text)


@given(EXPRESSIONS, EXPRESSIONS)
def test_a_sum_and_a_product_commute(one: Node, other: Node) -> None:
    left, right = printed(one), printed(other)
    assume(has_form(left) and has_form(right))

    assert outcome(f"{left}+{right}", f"{right}+{left}") in {"yes", "out-of-budget"}
    assert outcome(rf"{left}\cdot({right})", f"({right})({left})") in {"yes", "out-of-budget"}


@given(EXPRESSIONS)
def test_what_is_added_and_taken_away_changes_nothing(node: Node) -> None:
    text = printed(node)
    assume(has_form(text))

    assert outcome(f"{text}+x-x", text) in {"yes", "out-of-budget"}
    assert outcome(f"2({text})-({text})", text) in {"yes", "out-of-budget"}
