"""A real expression at a point as an interval that surely holds its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from evalsi_pack_rl.math_equiv.canonical import elementary
from evalsi_pack_rl.math_equiv.canonical.budget import Budget, Undefined, Unsupported
from evalsi_pack_rl.math_equiv.canonical.degrees import OF_ANGLES, radians
from evalsi_pack_rl.math_equiv.canonical.exact import rational
from evalsi_pack_rl.math_equiv.canonical.intervals import (
    BITS,
    Interval,
    divided,
    multiplied,
    of_rational,
    raised,
    square_root,
)
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

__all__ = ["Enclosure", "sign_of", "whole_of"]

_ONE: Final = 1 << BITS
_E: Final = Constant("e")
_HALF: Final = Fraction(1, 2)


class Enclosure:
    """Values of real expressions where the letters have given rational values."""

    __slots__ = ("_budget", "_values")

    def __init__(self, values: Mapping[str, Fraction], budget: Budget) -> None:
        self._values = values
        self._budget = budget

    def of(self, node: Node) -> Interval:
        """An interval that holds the value.

        Raises:
            Unsupported: when the expression is not real here, or no interval is known.
            Undefined: when it has no value.
        """
        self._budget.spend(2)
        if isinstance(node, Number):
            return of_rational(node.value)
        if isinstance(node, Sum):
            found = [self.of(term) for term in node.terms]
            return sum(low for low, _ in found), sum(high for _, high in found)
        if isinstance(node, Product):
            product = self.of(node.factors[0])
            for factor in node.factors[1:]:
                product = multiplied(product, self.of(factor))
            return product
        if isinstance(node, Power):
            return self._power(node)
        return self._other(node)

    def _other(self, node: Node) -> Interval:
        if isinstance(node, Symbol) and node.name in self._values:
            return of_rational(self._values[node.name])
        if isinstance(node, Constant) and node.name in {"pi", "e"}:
            return elementary.pi() if node.name == "pi" else elementary.exponential((_ONE, _ONE))
        if isinstance(node, Call):
            return self._call(node)
        if isinstance(node, Quantity) and node.unit == "%":
            return multiplied(self.of(node.value), of_rational(Fraction(1, 100)))
        raise Unsupported

    def exact(self, node: Node) -> Fraction | None:
        """The value where it is a rational number without roots or functions."""
        if isinstance(node, Number):
            return node.value
        return rational(self._placed(node), self._budget)

    def _placed(self, node: Node) -> Node:
        if isinstance(node, Symbol) and node.name in self._values:
            return Number(self._values[node.name])
        if isinstance(node, Sum):
            return Sum(tuple(map(self._placed, node.terms)))
        if isinstance(node, Product):
            return Product(tuple(map(self._placed, node.factors)))
        if isinstance(node, Power):
            return Power(self._placed(node.base), self._placed(node.exponent))
        return node

    def _power(self, node: Power) -> Interval:
        self._budget.spend(10)
        exponent = self.exact(node.exponent)
        if node.base == _E and (exponent is None or exponent.denominator > 1):
            self._budget.spend(100)
            return elementary.exponential(self.of(node.exponent))
        if exponent is None:
            return self._real_power(self.of(node.base), self.of(node.exponent))
        if exponent.denominator == 1:
            base = self.of(node.base)
            if base == (0, 0) and exponent <= 0:
                raise Undefined
            return raised(base, int(exponent))
        base = self.of(node.base)
        if base[1] < 0 and exponent.denominator % 2:
            power = self._rational_power((-base[1], -base[0]), exponent)
            return (-power[1], -power[0]) if exponent.numerator % 2 else power
        return self._rational_power(base, exponent)

    def _rational_power(self, base: Interval, exponent: Fraction) -> Interval:
        if exponent.denominator == 2:
            return raised(square_root(base), exponent.numerator)
        return self._real_power(base, of_rational(exponent))

    def _real_power(self, base: Interval, exponent: Interval) -> Interval:
        self._budget.spend(200)
        return elementary.exponential(multiplied(exponent, elementary.logarithm(base)))

    def _call(self, node: Call) -> Interval:
        value = rational(self._placed_call(node), self._budget)
        if value is not None:
            return of_rational(value)
        self._budget.spend(100)
        is_angle = node.name in OF_ANGLES
        arguments = [self.of(radians(arg) if is_angle else arg) for arg in node.arguments]
        if node.name == "log":
            base = arguments[1] if len(arguments) > 1 else of_rational(Fraction(10))
            return divided(elementary.logarithm(arguments[0]), elementary.logarithm(base))
        function = _FUNCTIONS.get(node.name)
        if function is None or len(arguments) != 1:
            raise Unsupported
        return function(arguments[0])

    def _placed_call(self, node: Call) -> Node:
        return Call(node.name, tuple(map(self._placed, node.arguments)))


def _absolute(value: Interval) -> Interval:
    if value[0] >= 0:
        return value
    return (-value[1], -value[0]) if value[1] <= 0 else (0, max(-value[0], value[1]))


def _floor(value: Interval) -> Interval:
    low, high = value[0] >> BITS, value[1] >> BITS
    if low != high:
        raise Unsupported
    return low << BITS, low << BITS


def _ceiling(value: Interval) -> Interval:
    low, high = _floor((-value[1], -value[0]))
    return -high, -low


def _sign(value: Interval) -> Interval:
    if value[0] <= 0 <= value[1]:
        raise Unsupported
    return (_ONE, _ONE) if value[0] > 0 else (-_ONE, -_ONE)


def _tangent(value: Interval) -> Interval:
    return divided(elementary.sine(value), elementary.cosine(value))


def _cotangent(value: Interval) -> Interval:
    return divided(elementary.cosine(value), elementary.sine(value))


def _arc_sine(value: Interval) -> Interval:
    square = multiplied(value, value)
    rest = square_root((_ONE - square[1], _ONE - square[0]))
    return elementary.arc_tangent(divided(value, rest))


def _arc_cosine(value: Interval) -> Interval:
    low, high = _arc_sine(value)
    right = multiplied(elementary.pi(), of_rational(_HALF))
    return right[0] - high, right[1] - low


def _hyperbolic(name: str) -> Callable[[Interval], Interval]:
    def value_of(value: Interval) -> Interval:
        growing = elementary.exponential(value)
        falling = divided((_ONE, _ONE), growing)
        sine = growing[0] - falling[1], growing[1] - falling[0]
        cosine = growing[0] + falling[0], growing[1] + falling[1]
        if name == "tanh":
            return divided(sine, cosine)
        return multiplied(sine if name == "sinh" else cosine, of_rational(_HALF))

    return value_of


def _reciprocal(function: Callable[[Interval], Interval]) -> Callable[[Interval], Interval]:
    return lambda value: divided((_ONE, _ONE), function(value))


_FUNCTIONS: Final[dict[str, Callable[[Interval], Interval]]] = {
    "ln": elementary.logarithm,
    "sin": elementary.sine,
    "cos": elementary.cosine,
    "tan": _tangent,
    "cot": _cotangent,
    "sec": _reciprocal(elementary.cosine),
    "csc": _reciprocal(elementary.sine),
    "arctan": elementary.arc_tangent,
    "arcsin": _arc_sine,
    "arccos": _arc_cosine,
    "sinh": _hyperbolic("sinh"),
    "cosh": _hyperbolic("cosh"),
    "tanh": _hyperbolic("tanh"),
    "abs": _absolute,
    "floor": _floor,
    "ceil": _ceiling,
    "sgn": _sign,
}


def sign_of(node: Node, budget: Budget) -> int | None:
    """1 or -1, the proven sign of a constant; None when it has letters, or may be 0."""
    try:
        low, high = Enclosure({}, budget).of(node)
    except (Unsupported, Undefined):
        return None
    return 1 if low > 0 else -1 if high < 0 else None


def whole_of(node: Node, budget: Budget) -> int | None:
    """The whole number that a constant surely is; None for any other."""
    try:
        low, high = Enclosure({}, budget).of(node)
    except (Unsupported, Undefined):
        return None
    return low >> BITS if low == high and low % _ONE == 0 else None
