"""Sums and products over a letter between two whole numbers, term by term."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.canonical.algebra import ONE, ZERO, Form
from evalsi_pack_rl.math_equiv.canonical.budget import Budget, OutOfBudget
from evalsi_pack_rl.math_equiv.syntax.tree import Call, Node, Number, Power, Product, Sum

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.canonical.reading import Reader

__all__ = ["series"]

_MOST: Final = 1000


def series(reader: Reader, node: Call) -> Form | None:
    """A sum or product with bounds that are whole numbers; None with other bounds.

    Without terms, where the last is below the first, it is 0 or 1.
    """
    letter, first, last, body = node.arguments
    low, high = reader.read(first).constant(), reader.read(last).constant()
    if low is None or high is None or low.denominator != 1 or high.denominator != 1:
        return None
    if high - low > _MOST:
        raise OutOfBudget
    total = ZERO if node.name == "sum" else ONE
    for number in range(int(low), int(high) + 1):
        placed = _placed(body, letter, Number(Fraction(number)), reader.budget)
        term = reader.read(placed)
        total = reader.add(total, term) if node.name == "sum" else reader.multiply(total, term)
    return total


def _placed(node: Node, letter: Node, number: Number, budget: Budget) -> Node:
    """The tree with a number for a letter."""
    budget.spend(5)
    if node == letter:
        return number
    if isinstance(node, Sum):
        return Sum(tuple(_placed(term, letter, number, budget) for term in node.terms))
    if isinstance(node, Product):
        return Product(tuple(_placed(factor, letter, number, budget) for factor in node.factors))
    if isinstance(node, Power):
        base = _placed(node.base, letter, number, budget)
        return Power(base, _placed(node.exponent, letter, number, budget))
    if isinstance(node, Call):
        return Call(
            node.name, tuple(_placed(each, letter, number, budget) for each in node.arguments)
        )
    return node
