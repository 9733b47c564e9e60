"""Nodes put together with what is folded at once: signs, and quotients of whole numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from evalsi_pack_rl.math_equiv.syntax.tree import (
    Constant,
    Difference,
    Intersection,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Union,
    Words,
)

__all__ = [
    "HALF",
    "MINUS_ONE",
    "constant_or_none",
    "inverse",
    "negative",
    "product",
    "quotient",
    "set_operation",
]

MINUS_ONE: Final = Number(Fraction(-1))
HALF: Final = Number(Fraction(1, 2))
_CONSTANTS: Final = {"e": Constant("e"), "i": Constant("i"), "pi": Constant("pi")}


def constant_or_none(name: str) -> Constant | None:
    """The constant of that name, if it is one."""
    return _CONSTANTS.get(name)


def negative(node: Node) -> Node:
    """The node with the opposite sign."""
    if isinstance(node, Number):
        return Number(-node.value, node.exact)
    if isinstance(node, Quantity):
        return Quantity(negative(node.value), node.unit)
    if isinstance(node, Product):
        first = node.factors[0]
        if isinstance(first, Number):
            return Product((Number(-first.value, first.exact), *node.factors[1:]))
        return Product((MINUS_ONE, *node.factors))
    return Product((MINUS_ONE, node))


def inverse(node: Node) -> Node:
    """1 over the node; of zero, the power that has no value."""
    if isinstance(node, Number) and node.value and node.exact:
        return Number(1 / node.value)
    return Power(node, MINUS_ONE)


def product(factors: list[Node]) -> Node:
    """The factors multiplied, with the nested products among them unfolded."""
    if len(factors) == 1:
        return factors[0]
    flat: list[Node] = []
    for factor in factors:
        if isinstance(factor, Product):
            flat += factor.factors
        else:
            flat.append(factor)
    return Product(tuple(flat))


def quotient(top: Node, bottom: Node) -> Node:
    """One node over another; of whole numbers one Number, of two units one unit."""
    if isinstance(top, Number) and isinstance(bottom, Number) and top.exact and bottom.exact:
        if bottom.value:
            return Number(top.value / bottom.value)
        return Product((top, Power(bottom, MINUS_ONE)))
    if isinstance(bottom, Words):
        if isinstance(top, Words):
            return Words(f"{top.text}/{bottom.text}")
        if isinstance(top, Quantity):
            return Quantity(top.value, f"{top.unit}/{bottom.text}")
    return product([top, inverse(bottom)])


def set_operation(operator: str, left: Node, right: Node) -> Node:
    """A `union`, `intersection` or `difference`; unions and intersections are flat."""
    if operator == "difference":
        return Difference(left, right)
    if operator == "union":
        return Union((*left.parts, right) if isinstance(left, Union) else (left, right))
    parts = left.parts if isinstance(left, Intersection) else (left,)
    return Intersection((*parts, right))
