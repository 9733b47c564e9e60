"""Equations and inequalities, and the value that an equation states.

`x = 3`, `f(2) = 7` and `3 + 4 = 7` state a value; `a + b = 3` does not. Two equations are the same
when their sides are, in either order, or when one is the other times a constant; inequalities when
that constant is positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.structures_items import is_same
from evalsi_pack_rl.math_equiv.structures_linear import rational, replaced
from evalsi_pack_rl.math_equiv.structures_names import has_symbols, is_name, symbols
from evalsi_pack_rl.math_equiv.syntax.building import negative
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Constant,
    Node,
    Number,
    Power,
    Product,
    Relation,
    Sum,
    Symbol,
)
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Sequence as Items,
)
from evalsi_pack_rl.math_equiv.verdict import Decision

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.structures import Structures

__all__ = ["relation_rule"]

_EXPRESSIONS: Final = (Number, Symbol, Constant, Sum, Product, Power, Call)
_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_EQUAL: Final = frozenset({"=", "equiv"})
_POINTS: Final = ((3, 7, 11, 13, 17, 19, 23), (5, 2, 29, 31, 37, 41, 43))
"""Values for the variables of an equation, at one of which its sides should differ."""


def relation_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    """Compares a relation with another, or with a value; None without any relation."""
    if not isinstance(one, Relation):
        if not isinstance(other, Relation):
            return None
        one, other = other, one
    if isinstance(other, Relation):
        return _relations(judge, one, other)
    if one.operators == ("in",):
        return judge.same(one.sides[1], other) if is_name(one.sides[0]) else "no"
    stated = _stated(judge, one)
    return "no" if stated is None else judge.same(stated, other)


def _stated(judge: Structures, relation: Relation) -> Node | None:
    """The value that a chain of equations states; None when it states none."""
    operators, sides = relation.operators, relation.sides
    if operators[-1] == "approx" and not is_name(sides[-2]):  # the value, and what it is about
        operators, sides = operators[:-1], sides[:-1]
    if not operators:
        return sides[0]
    if not _EQUAL.issuperset(operators):
        return None
    first, *between, last = sides
    if not is_name(first) and not _names_all(first):
        if is_name(last) and not between:
            return first
        if has_symbols(first):
            return None
        between = [first, *between]
    elif not is_name(last) and "missing-side" not in judge.lenient and has_symbols(last):
        return None
    true = all(has_symbols(step) or is_same(judge, step, last) for step in between)
    return last if true else None


def _names_all(node: Node) -> bool:
    return isinstance(node, Items) and all(map(is_name, node.items))


def _relations(judge: Structures, one: Relation, other: Relation) -> Decision:
    if len(one.sides) != len(other.sides):
        return "no"
    if one.operators == other.operators == ("=",) and one.sides[0] == other.sides[0]:
        return judge.every([(one.sides[1], other.sides[1])])
    turned = Relation(
        tuple(_FLIPPED.get(operator, "") for operator in reversed(other.operators)),
        tuple(reversed(other.sides)),
    )
    return judge.either(
        lambda: _alike(judge, one, other),
        lambda: _alike(judge, one, turned),
        lambda: _scaled(judge, one, other),
    )


def _alike(judge: Structures, one: Relation, other: Relation) -> Decision:
    if one.operators != other.operators:
        return "no"
    return judge.every(list(zip(one.sides, other.sides, strict=True)))


def _scaled(judge: Structures, one: Relation, other: Relation) -> Decision:
    """Whether one relation between two expressions is the other times a constant."""
    if len(one.sides) != 2 or not all(isinstance(side, _EXPRESSIONS) for side in one.sides):
        return "no"
    if not all(isinstance(side, _EXPRESSIONS) for side in other.sides):
        return "no"
    first, second = _difference(one), _difference(other)
    if first is None or second is None or first[0] != second[0]:
        return "no"
    return _proportional(judge, first[0], first[1], second[1])


def _difference(relation: Relation) -> tuple[str, Node] | None:
    """`d < 0`, `d <= 0`, `d = 0` or `d != 0`, in which the relation says the same."""
    operator = relation.operators[0]
    left, right = relation.sides
    if operator in {">", ">="}:
        operator, left, right = _FLIPPED[operator], right, left
    return (operator, Sum((left, negative(right)))) if operator in _FLIPPED else None


def _proportional(judge: Structures, operator: str, one: Node, other: Node) -> Decision:
    if not has_symbols(one) or not has_symbols(other):
        return "no"
    names = sorted(symbols(one) | symbols(other))
    for point in _POINTS:
        values = dict(zip(names, _numbers(point, len(names)), strict=True))
        first, second = replaced(one, values), replaced(other, values)
        factors = rational(first), rational(second)
        if 0 in factors:
            continue
        if operator in {"<", "<="} and not _same_sign(factors):
            return "no"
        if "scaled-relation" not in judge.lenient and not _same_size(factors):
            return "no"
        return judge.same(Product((one, second)), Product((other, first)))
    return "no"


def _numbers(point: Sequence[int], count: int) -> list[Number]:
    return [Number(Fraction(point[at % len(point)] + at)) for at in range(count)]


def _same_sign(factors: tuple[Fraction | None, Fraction | None]) -> bool:
    one, other = factors
    return one is not None and other is not None and (one > 0) == (other > 0)


def _same_size(factors: tuple[Fraction | None, Fraction | None]) -> bool:
    one, other = factors
    return one is not None and other is not None and abs(one) == abs(other)
