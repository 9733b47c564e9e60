"""Expressions at the ends of structures: the fourth tier, within one budget for two answers."""

from __future__ import annotations

from evalsi_pack_rl.math_equiv.canonical import (
    Budget,
    close_expressions,
    equal_expressions,
)
from evalsi_pack_rl.math_equiv.syntax.tree import Call, Node, Number, Power, Product, Sum
from evalsi_pack_rl.math_equiv.verdict import Decision

__all__ = ["Leaves"]


class Leaves:
    """Compares expressions; once its budget is spent, `OutOfBudget` comes through."""

    __slots__ = ("_budget",)

    def __init__(self) -> None:
        self._budget = Budget()

    def __call__(self, one: Node, other: Node) -> Decision:
        """Whether two expressions have one value.

        A decimal equals an irrational number that it states to a part in a million; rational
        numbers are never compared with a tolerance.
        """
        decision = equal_expressions(one, other, self._budget)
        if decision != "yes" and _is_decimal(one) != _is_decimal(other):
            close = close_expressions(one, other, self._budget)
            return close if close == "yes" else decision
        return decision


def _is_decimal(node: Node) -> bool:
    """Whether a decimal point stands in an expression."""
    match node:
        case Number(exact=exact):
            return not exact
        case Sum(terms=parts) | Product(factors=parts) | Call(arguments=parts):
            return any(map(_is_decimal, parts))
        case Power(base=base, exponent=exponent):
            return _is_decimal(base) or _is_decimal(exponent)
        case _:
            return False
