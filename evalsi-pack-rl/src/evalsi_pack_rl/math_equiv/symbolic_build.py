"""sympy's objects from our tree, and from nothing else: no text is ever handed to sympy.

Runs in a worker. sympy computes while it builds, so the size of every power, factorial and
binomial is known to be small before it is built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import sympy

from evalsi_pack_rl.math_equiv.syntax import tree
from evalsi_pack_rl.math_equiv.syntax.tree import Node

__all__ = ["Built", "TooLarge", "Unsupported", "built"]

Built: TypeAlias = Any
"""An expression of sympy, which has no types."""

_MOST_BITS: Final = 20_000
_MOST_FACTORIAL: Final = 1_000


class TooLarge(Exception):  # noqa: N818 - a verdict on the input
    """A number that is not going to be computed."""


class Unsupported(Exception):  # noqa: N818 - a verdict on the input
    """A node that is no expression for us."""


def built(node: Node, *, positive: bool = False) -> Built:
    """The expression, its variables real, or positive; raises `TooLarge`, `Unsupported`."""
    return _Building(positive=positive).expression(node)


class _Building:
    def __init__(self, *, positive: bool) -> None:
        self._assumed = {"positive": True} if positive else {"real": True}

    def expression(self, node: Node) -> Built:
        match node:
            case tree.Sum(terms):
                return sympy.Add(*map(self.expression, terms))
            case tree.Product(factors):
                return sympy.Mul(*map(self.expression, factors))
            case tree.Power(base, exponent):
                return _power(self.expression(base), self.expression(exponent))
            case tree.Call(name, arguments):
                return _call(name, [self.expression(argument) for argument in arguments])
            case tree.Quantity(value, "degrees"):
                return self.expression(value) * sympy.pi / 180
        return self._leaf(node)

    def _leaf(self, node: Node) -> Built:
        match node:
            case tree.Number(value):
                return sympy.Rational(value.numerator, value.denominator)
            case tree.Base(digits, base):
                return sympy.Integer(int(digits, base))
            case tree.Symbol(name):
                return sympy.Symbol(name, **self._assumed)
            case tree.Constant(name) if name in _CONSTANTS:
                return _CONSTANTS[name]
        raise Unsupported(type(node).__name__)


def _power(base: Built, exponent: Built) -> Built:
    if exponent.is_Rational:
        if _bits(base) * abs(exponent.p) > _MOST_BITS:
            raise TooLarge
        if base.is_number and base.is_negative and exponent.q % 2 and exponent.q > 1:
            # As at school: an odd root of a negative number is negative.
            return (-1) ** exponent.p * sympy.Pow(-base, exponent)
    elif exponent.is_number and (base.is_number or base.is_Mul):
        magnitude = abs(sympy.N(exponent, 15))
        if not magnitude.is_Float or _bits(base) * magnitude > _MOST_BITS:
            raise TooLarge
    if base.is_zero and not exponent.is_positive:
        raise Unsupported("0 to a power that is not positive")
    return sympy.Pow(base, exponent)


def _bits(base: Built) -> int:
    """How long its numbers are, which a power multiplies."""
    numbers = base.atoms(sympy.Rational)
    bits: int = 1 + sum(abs(n.p).bit_length() + n.q.bit_length() for n in numbers if abs(n) != 1)
    return bits


def _call(name: str, arguments: list[Built]) -> Built:
    if name in _SMALL and any(abs(argument) > _MOST_FACTORIAL for argument in _numbers(arguments)):
        raise TooLarge
    if name in _OF_INTEGERS and not all(argument.is_Integer for argument in arguments):
        raise Unsupported("polynomials have divisors too")
    make = _FUNCTIONS.get(name) or sympy.Function(name)
    return make(*arguments)


def _numbers(arguments: list[Built]) -> list[Built]:
    if any(argument.is_number and not argument.is_Rational for argument in arguments):
        raise Unsupported("a factorial of an irrational number")
    return [argument for argument in arguments if argument.is_Rational]


def _logarithm(value: Built, base: Built = 10) -> Built:
    return sympy.log(value) / sympy.log(base)


_CONSTANTS: Final[Mapping[str, Built]] = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I}
_CIRCULAR: Final = ("sin", "cos", "tan", "cot", "sec", "csc")
_OF_INTEGERS: Final = frozenset({"gcd", "lcm"})
_SMALL: Final = frozenset({"factorial", "double-factorial", "binomial"})

_FUNCTIONS: Final[Mapping[str, Callable[..., Built]]] = {
    **{name: getattr(sympy, name) for name in _CIRCULAR},
    **{f"{name}h": getattr(sympy, f"{name}h") for name in _CIRCULAR},
    **{f"arc{name}": getattr(sympy, f"a{name}") for name in _CIRCULAR},
    **{f"arc{name}h": getattr(sympy, f"a{name}h") for name in _CIRCULAR},
    "ln": sympy.log,
    "log": _logarithm,
    "exp": sympy.exp,
    "abs": sympy.Abs,
    "floor": sympy.floor,
    "ceil": sympy.ceiling,
    "min": sympy.Min,
    "max": sympy.Max,
    "mod": sympy.Mod,
    "gcd": sympy.gcd,
    "lcm": sympy.lcm,
    "factorial": sympy.factorial,
    "double-factorial": sympy.factorial2,
    "binomial": sympy.binomial,
}
