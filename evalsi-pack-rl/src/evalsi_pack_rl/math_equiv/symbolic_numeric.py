"""A tree's value at a point, to many digits: what differs clearly at one point is not equal.

Runs in a worker. mpmath's floating point has exponents without a bound, so that a tower of powers
costs no more than its digits; what would cost more has no value here. A value counts only when
two precisions agree on it, so that cancelled digits decide nothing.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import cycle
from typing import Any, Final, TypeAlias, TypeGuard, get_args

import mpmath

from evalsi_pack_rl.math_equiv.syntax import tree
from evalsi_pack_rl.math_equiv.syntax.tree import Node

__all__ = ["WORKING_DIGITS", "NoValue", "Value", "names_of", "points", "value_at"]

Value: TypeAlias = Any
"""A complex number of mpmath; it has no types."""

Point: TypeAlias = Mapping[str, tuple[int, int]]

WORKING_DIGITS: Final = 150
"""What mpmath must be set to around all of this: its every function rounds to that."""
_DIGITS: Final = (100, WORKING_DIGITS)
_AGREED: Final = 60
"""Digits that both precisions must have in common."""
_MOST_EXPONENT: Final = 1 << 20
_MOST_ARGUMENT: Final = 10**6
_SIGNS: Final = ((1,), (1,), (1,), (-1,), (-1, 1), (1, -1))
_CIRCULAR: Final = ("sin", "cos", "tan", "cot", "sec", "csc")


class NoValue(Exception):  # noqa: N818 - an event: this point decides nothing
    """No number: undefined there, not to be computed, or all digits cancelled."""


def names_of(node: Node) -> frozenset[str]:
    """The variables of a tree."""
    if isinstance(node, tree.Symbol):
        return frozenset({node.name})
    return frozenset().union(*map(names_of, _children(node)))


def points(names: frozenset[str]) -> Iterator[Point]:
    """Rational points, the same ones each time: half are positive, each name is negative in two."""
    chance = random.Random(1)  # noqa: S311 - repeatable
    for signs in _SIGNS if names else _SIGNS[:1]:
        yield {
            name: (sign * chance.randrange(300, 3000), 997)
            for name, sign in zip(sorted(names), cycle(signs), strict=False)
        }


def value_at(node: Node, point: Point) -> Value:
    """The value, right to 60 digits or 0; raises `NoValue`."""
    try:
        rough, fine = (_computed(node, point, digits) for digits in _DIGITS)
    except (ArithmeticError, ValueError, TypeError, NotImplementedError) as error:
        raise NoValue(str(error)) from error
    if not mpmath.isfinite(fine):
        raise NoValue("infinite")
    size = max(abs(rough), abs(fine))
    if abs(rough - fine) <= size * mpmath.mpf(10) ** -_AGREED:
        return fine
    if size < mpmath.mpf(10) ** -_AGREED:
        return mpmath.mpc(0)
    raise NoValue("cancelled digits")


def _computed(node: Node, point: Point, digits: int) -> Value:
    with mpmath.workdps(digits):
        return _Computing(point).value(node)


class _Computing:
    def __init__(self, point: Point) -> None:
        self._point = point

    def value(self, node: Node) -> Value:
        match node:
            case tree.Sum(terms):
                return mpmath.fsum(map(self.value, terms))
            case tree.Product(factors):
                return mpmath.fprod(map(self.value, factors))
            case tree.Power(base, exponent):
                return _power(self.value(base), exponent, self.value(exponent))
            case tree.Call(name, arguments):
                make = _FUNCTIONS.get(name) or partial(_unknown, name)
                return make(*map(self.value, arguments))
            case tree.Quantity(value, "degrees"):
                return self.value(value) * mpmath.pi / 180
        return mpmath.mpc(self._leaf(node))

    def _leaf(self, node: Node) -> Value:
        match node:
            case tree.Number(value):
                return mpmath.mpf(value.numerator) / value.denominator
            case tree.Base(digits, base):
                return int(digits, base)
            case tree.Symbol(name):
                numerator, denominator = self._point[name]
                return mpmath.mpf(numerator) / denominator
            case tree.Constant(name) if name in _CONSTANTS:
                return _CONSTANTS[name]()
        raise NoValue(type(node).__name__)


def _children(node: Node) -> Iterator[Node]:
    for name in node.__slots__:
        yield from _nodes(getattr(node, name))


def _nodes(held: object) -> Iterator[Node]:
    if isinstance(held, tuple):
        for item in held:
            yield from _nodes(item)
    elif isinstance(held, get_args(Node)):
        yield held


def _unknown(name: str, *values: Value) -> Value:
    """Any value for a function that only has a name, the same one for the same arguments."""
    seed = name + " ".join(mpmath.nstr(value, _AGREED) for value in values)
    return mpmath.mpc(random.Random(seed).randrange(300, 3000)) / 997  # noqa: S311 - repeatable


def _power(base: Value, written: Node, exponent: Value) -> Value:
    if base == 0 and mpmath.re(exponent) <= 0:
        raise NoValue("0 to a power that is not positive")
    if base != 0:
        _bounded(exponent * mpmath.log(abs(base)))
    if _odd_root(written) and mpmath.im(base) == 0 and mpmath.re(base) < 0:
        # As at school: an odd root of a negative number is negative.
        return mpmath.power(-1, written.value.numerator) * mpmath.power(-base, exponent)
    return mpmath.power(base, exponent)


def _odd_root(exponent: Node) -> TypeGuard[tree.Number]:
    if not isinstance(exponent, tree.Number):
        return False
    return exponent.value.denominator > 1 and exponent.value.denominator % 2 == 1


def _bounded(exponent: Value) -> Value:
    if abs(exponent) > _MOST_EXPONENT:
        raise NoValue("too large")
    return exponent


def _exp(value: Value) -> Value:
    return mpmath.exp(_bounded(value))


def _log(value: Value, base: Value = None) -> Value:
    if value == 0:
        raise NoValue("the logarithm of 0")
    return mpmath.log(value) / mpmath.log(10 if base is None else base)


def _real(value: Value) -> Value:
    if mpmath.im(value) != 0:
        raise NoValue("a complex number has no order")
    return mpmath.re(value)


def _whole(value: Value) -> int:
    real = _real(value)
    if abs(real) > _MOST_EXPONENT or real != int(real):
        raise NoValue("no small integer")
    return int(real)


def _of_small(function: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """Circular functions cost what the digits of their argument cost."""

    def of(value: Value) -> Value:
        if abs(value) > _MOST_ARGUMENT:
            raise NoValue("too large")
        return function(value)

    return of


def _of_wholes(function: Callable[..., int]) -> Callable[..., Value]:
    return lambda *values: mpmath.mpc(function(*map(_whole, values)))


def _of_reals(function: Callable[..., Value]) -> Callable[..., Value]:
    return lambda *values: mpmath.mpc(function(*map(_real, values)))


def _remainder(value: Value, by: Value) -> Value:
    return value - by * mpmath.floor(value / by)


_CONSTANTS: Final[Mapping[str, Callable[[], Value]]] = {
    "pi": lambda: +mpmath.pi,
    "e": lambda: +mpmath.e,
    "i": lambda: mpmath.mpc(0, 1),
}

_FUNCTIONS: Final[Mapping[str, Callable[..., Value]]] = {
    **{name: _of_small(getattr(mpmath, name)) for name in _CIRCULAR},
    **{f"{name}h": _of_small(getattr(mpmath, f"{name}h")) for name in _CIRCULAR},
    **{f"arc{name}": getattr(mpmath, f"a{name}") for name in _CIRCULAR},
    **{f"arc{name}h": getattr(mpmath, f"a{name}h") for name in _CIRCULAR},
    "ln": lambda value: _log(value, mpmath.e),
    "log": _log,
    "exp": _exp,
    "abs": lambda value: mpmath.mpc(abs(value)),
    "floor": _of_reals(mpmath.floor),
    "ceil": _of_reals(mpmath.ceil),
    "min": _of_reals(min),
    "max": _of_reals(max),
    "mod": _of_reals(_remainder),
    "gcd": _of_wholes(math.gcd),
    "lcm": _of_wholes(math.lcm),
    "factorial": lambda value: mpmath.factorial(_bounded(value)),
    "double-factorial": lambda value: mpmath.fac2(_bounded(value)),
    "binomial": lambda n, k: mpmath.binomial(_bounded(n), _bounded(k)),
}
