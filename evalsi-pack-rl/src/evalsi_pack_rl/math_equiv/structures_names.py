"""What may stand left of a value as its name: `x`, `f(2)`, `AB`, `P(A)`, words."""

from __future__ import annotations

from typing import Final

from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Constant,
    Intersection,
    Node,
    Power,
    Product,
    Relation,
    Sum,
    Symbol,
    Union,
    Words,
)
from evalsi_pack_rl.math_equiv.words import denies

__all__ = ["has_symbols", "is_name", "symbols"]


_OF_ANGLES: Final = frozenset({"sin", "cos", "tan", "cot", "sec", "csc"})
_PROBABILITY: Final = Symbol("P")
_D: Final = Symbol("d")
_COMPLEX: Final = frozenset({"z", "z_1", "z_2"})


def is_name(node: Node) -> bool:
    """Whether a node may name a value, and is no expression to be solved."""
    match node:
        case Symbol():
            return True
        case Words(text=text):
            return not denies(text)
        case Constant(name=name):
            return name in {"e", "i"}
        case Call(name=name, arguments=arguments):
            return _is_called(name, arguments)
        case Product():
            return _is_points(node) or _is_probability(node) or _is_derivative(node)
        case _:
            return False


def symbols(node: Node) -> frozenset[str]:
    """The names of the variables in an expression."""
    match node:
        case Symbol(name=name):
            return frozenset({name})
        case Sum(terms=parts) | Product(factors=parts) | Call(arguments=parts):
            return frozenset().union(*map(symbols, parts))
        case Relation(sides=parts):
            return frozenset().union(*map(symbols, parts))
        case Power(base=base, exponent=exponent):
            return symbols(base) | symbols(exponent)
        case _:
            return frozenset()


def has_symbols(node: Node) -> bool:
    """Whether an expression has variables."""
    return bool(symbols(node))


def _is_called(name: str, arguments: tuple[Node, ...]) -> bool:
    if name in _OF_ANGLES:
        return isinstance(arguments[0], Symbol)
    if name == "abs":
        return all(map(_has_length, arguments))
    return len(name.rstrip("'")) == 1 or name.endswith("^-1")


def _is_probability(node: Product) -> bool:
    """`P(X = 2)`, which is read as a product."""
    event = node.factors[-1]
    is_event = isinstance(event, Relation | Intersection | Union)
    return len(node.factors) == 2 and node.factors[0] == _PROBABILITY and is_event


def _is_derivative(node: Product) -> bool:
    """`dy/dx`, which is read as a product."""
    top, bottom = node.factors[:-1], node.factors[-1]
    if len(top) != 2 or top[0] != _D or not isinstance(top[1], Symbol):
        return False
    below = bottom.base if isinstance(bottom, Power) else None
    return isinstance(below, Product) and len(below.factors) == 2 and below.factors[0] == _D


def _has_length(node: Node) -> bool:
    """`AB` of `|AB|`, and `z` of `|z|`; `|x| = 5` leaves two values for x."""
    return _is_points(node) or (isinstance(node, Symbol) and node.name in _COMPLEX)


def _is_points(node: Node) -> bool:
    """`AB`, a line between points; `P(A)`, a probability."""
    factors = node.factors if isinstance(node, Product) else (node,)
    return all(isinstance(factor, Symbol) and factor.name[0].isupper() for factor in factors)
