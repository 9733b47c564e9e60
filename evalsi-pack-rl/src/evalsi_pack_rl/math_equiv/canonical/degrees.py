"""Angles in degrees as multiples of pi."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from evalsi_pack_rl.math_equiv.syntax.tree import (
    Constant,
    Node,
    Number,
    Product,
    Quantity,
    Sum,
)

__all__ = ["OF_ANGLES", "radians"]

OF_ANGLES: Final = frozenset({"sin", "cos", "tan", "cot", "sec", "csc"})
"""The functions whose arguments may have degree signs."""

_DEGREE: Final = Constant("pi"), Number(Fraction(1, 180))


def radians(node: Node) -> Node:
    """The angle with its degree signs worked in."""
    if isinstance(node, Quantity) and node.unit == "degrees":
        return Product((node.value, *_DEGREE))
    if isinstance(node, Sum):
        return Sum(tuple(radians(term) for term in node.terms))
    if isinstance(node, Product):
        return Product(tuple(radians(factor) for factor in node.factors))
    return node
