"""Whether two expressions are equal: proven, disproven, or left open.

`yes` follows from equal normal forms: it holds for all real values for which both sides are
defined. `no` is proven by different values modulo a prime, by different polynomials over
independent atoms, or by disjoint intervals at a point. The same pair has the same outcome on every
machine; the order of the two does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from evalsi_pack_rl.math_equiv.canonical.algebra import Form
from evalsi_pack_rl.math_equiv.canonical.budget import Budget, OutOfBudget, Undefined, Unsupported
from evalsi_pack_rl.math_equiv.canonical.enclosing import Enclosure
from evalsi_pack_rl.math_equiv.canonical.exact import rational
from evalsi_pack_rl.math_equiv.canonical.intervals import BITS
from evalsi_pack_rl.math_equiv.canonical.modular import NoValue, Point
from evalsi_pack_rl.math_equiv.canonical.ordering import order
from evalsi_pack_rl.math_equiv.canonical.reading import Reader
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Constant,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Sum,
    Symbol,
)

__all__ = ["Decision", "close_expressions", "equal_expressions"]

Decision: TypeAlias = Literal["yes", "no", "undecided"]

_INDEPENDENT: Final = frozenset({"symbol", "prime", "i", "pi", "e"})


def equal_expressions(one: Node, other: Node, budget: Budget) -> Decision:
    """Whether the two expressions are equal.

    Raises:
        OutOfBudget: when that would take more operations than the budget has.
    """
    if order(one, other) > 0:
        one, other = other, one
    if _infinite(one) or _infinite(other):
        return _same_infinity(one, other)
    try:
        return _decided(one, other, budget)
    except RecursionError:  # Only where the caller has left no room for 64 levels of nesting.
        raise OutOfBudget from None


def _decided(one: Node, other: Node, budget: Budget) -> Decision:
    if _differ_modulo_prime(one, other, budget):
        return "no"
    reader = Reader(budget)
    left, right = _form(reader, one), _form(reader, other)
    if left == "undefined" or right == "undefined":
        return "no"
    decision: Decision = "undecided"
    if one == other and isinstance(one, Sum | Product | Power | Call):
        return "yes"
    if isinstance(left, Form) and isinstance(right, Form):
        decision = _by_form(reader, left, right)
    if decision == "undecided" and _differ_at_a_point(one, other, budget):
        return "no"
    return decision


def _differ_modulo_prime(one: Node, other: Node, budget: Budget) -> bool:
    point = Point(budget)
    try:
        return point.value(one) != point.value(other)
    except (NoValue, Undefined):
        return False


def _form(reader: Reader, node: Node) -> Form | Literal["undefined", "unsupported"]:
    try:
        return reader.read(node)
    except Undefined:
        return "undefined"
    except Unsupported:
        return "unsupported"


def _by_form(reader: Reader, left: Form, right: Form) -> Decision:
    try:
        if left == right or reader.equal(left, right):
            return "yes"
    except (Undefined, Unsupported):
        return "undecided"
    kinds = {atom.kind for atom in reader.listed}
    return "no" if kinds <= _INDEPENDENT and not {"pi", "e"} <= kinds else "undecided"


def _differ_at_a_point(one: Node, other: Node, budget: Budget) -> bool:
    names = sorted(_letters(one) | _letters(other))
    for values in _points(names):
        enclosure = Enclosure(values, budget)
        try:
            first, second = enclosure.of(one), enclosure.of(other)
        except (Unsupported, Undefined):
            continue
        if first[1] < second[0] or second[1] < first[0]:
            return True
    return False


def _points(names: list[str]) -> Iterator[dict[str, Fraction]]:
    """A few places with letters in general position: fractions, whole numbers, negative ones."""
    yield {name: Fraction(37 + 11 * place, 29) for place, name in enumerate(names)}
    if names:
        yield {name: Fraction(3 + 2 * place) for place, name in enumerate(names)}
        yield {name: Fraction(7 + 3 * place, 31 + place) for place, name in enumerate(names)}
        yield {name: Fraction(-41 - 13 * place, 23) for place, name in enumerate(names)}


def _letters(node: Node) -> set[str]:
    if isinstance(node, Symbol):
        return {node.name}
    found: set[str] = set()
    for child in _children(node):
        found |= _letters(child)
    return found


def _children(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Sum):
        return node.terms
    if isinstance(node, Product):
        return node.factors
    if isinstance(node, Power):
        return node.base, node.exponent
    if isinstance(node, Call):
        return node.arguments
    return (node.value,) if isinstance(node, Quantity) else ()


def _infinite(node: Node) -> int:
    """The sign of an infinity; 0 for any other expression."""
    if isinstance(node, Constant) and node.name == "infinity":
        return 1
    if isinstance(node, Product) and len(node.factors) == 2:
        first, second = node.factors
        if isinstance(first, Number) and second == Constant("infinity"):
            return (first.value > 0) - (first.value < 0)
    return 0


def _same_infinity(one: Node, other: Node) -> Decision:
    left, right = _infinite(one), _infinite(other)
    if left and right:
        return "yes" if left == right else "no"
    return "no" if _is_finite(other if left else one) else "undecided"


def _is_finite(node: Node) -> bool:
    if isinstance(node, Constant):
        return node.name != "infinity"
    if isinstance(node, Number | Symbol):
        return True
    return isinstance(node, Sum | Product | Power | Call) and all(map(_is_finite, _children(node)))


def close_expressions(one: Node, other: Node, budget: Budget) -> Decision:
    """Whether a decimal agrees with an irrational constant to one part in a million.

    Rational values are compared exactly, however they are written. `undecided` when neither or
    each side is a number with a decimal point, or the other has letters or cannot be enclosed.

    Raises:
        OutOfBudget: when that would take more operations than the budget has.
    """
    if not _has_point(one):
        one, other = other, one
    try:
        value = rational(one, budget) if _has_point(one) else None
    except Undefined:
        return "no"
    if value is None or _has_point(other):
        return "undecided"
    form = _form(Reader(budget), other)
    exact = form.constant() if isinstance(form, Form) else None
    if form == "undefined" or exact is not None:
        return "yes" if exact == value else "no"
    try:
        low, high = Enclosure({}, budget).of(other)
    except (Unsupported, Undefined):
        return "undecided"
    scaled = value * (1 << BITS)
    margin = abs(scaled) / 1_000_000
    if high < scaled - margin or low > scaled + margin:
        return "no"
    return "yes" if scaled - margin <= low and high <= scaled + margin else "undecided"


def _has_point(node: Node) -> bool:
    if isinstance(node, Number):
        return not node.exact
    return isinstance(node, Product | Quantity) and any(map(_has_point, _children(node)))
