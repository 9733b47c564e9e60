"""A value of an expression in the integers modulo a prime of 61 bits, at a fixed random point.

An identity between rational functions with rational coefficients and real roots of primes holds
modulo a prime, too, wherever nothing is divided by zero. So two values that differ prove two
expressions different; equal values prove nothing. `pi` or `e` alone is transcendental, so that it
may be any number; both together are not known to be independent.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import Final

from evalsi_pack_rl.math_equiv.canonical.budget import Budget
from evalsi_pack_rl.math_equiv.canonical.exact import rational
from evalsi_pack_rl.math_equiv.canonical.primes import factors_of, is_factored
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Constant,
    Node,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
)

__all__ = ["PRIME", "NoValue", "Point"]

PRIME: Final = 2305843009213245121
"""1 modulo 24, and chosen so that -1 and all primes up to 43 are squares."""


class NoValue(Exception):  # noqa: N818 - an outcome, not a fault
    """An expression has no value modulo the prime that would prove anything."""


class Point:
    """Values of the letters, the same on every machine."""

    __slots__ = ("_budget", "_transcendental")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._transcendental: set[str] = set()

    def value(self, node: Node) -> int:
        """The value of the expression at this point.

        Raises:
            NoValue: when it has none.
        """
        self._budget.spend(1)
        if isinstance(node, Number):
            return _residue(node.value)
        if isinstance(node, Symbol):
            return _of_name(node.name)
        if isinstance(node, Sum):
            return sum(map(self.value, node.terms)) % PRIME
        if isinstance(node, Product):
            value = 1
            for factor in node.factors:
                value = value * self.value(factor) % PRIME
            return value
        if isinstance(node, Power):
            return self._power(node)
        return self._other(node)

    def _other(self, node: Node) -> int:
        if isinstance(node, Constant):
            if node.name in {"pi", "e"}:
                self._transcendental.add(node.name)
                if len(self._transcendental) > 1:
                    raise NoValue
                return _of_name(f"constant {node.name}")
            if node.name == "i":
                return _root(PRIME - 1, 2)
        if isinstance(node, Call):
            value = rational(node, self._budget)
            if value is not None:
                return _residue(value)
        raise NoValue

    def _power(self, node: Power) -> int:
        exponent = rational(node.exponent, self._budget)
        if exponent is None:
            raise NoValue
        if exponent.denominator == 1:
            base = self.value(node.base)
            if not base and exponent <= 0:
                raise NoValue
            return pow(base, int(exponent), PRIME)
        base_value = rational(node.base, self._budget)
        if base_value is None or base_value <= 0:
            raise NoValue
        return _rational_power(base_value, exponent)


def _residue(value: Fraction) -> int:
    if value.denominator == 1:
        return value.numerator % PRIME
    if value.denominator % PRIME == 0:
        raise NoValue
    return value.numerator * pow(value.denominator, -1, PRIME) % PRIME


@lru_cache(maxsize=4096)
def _of_name(name: str) -> int:
    digest = sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % PRIME


@lru_cache(maxsize=4096)
def _rational_power(base: Fraction, exponent: Fraction) -> int:
    value = 1
    for number, sign in ((base.numerator, 1), (base.denominator, -1)):
        for prime, count in factors_of(number):
            power = count * sign * exponent
            if power.denominator == 1:
                value = value * pow(prime, int(power), PRIME) % PRIME
            elif not is_factored(prime):
                raise NoValue
            else:
                root = _root(prime, power.denominator)
                value = value * pow(root, power.numerator, PRIME) % PRIME
    return value


@lru_cache(maxsize=4096)
def _root(number: int, degree: int) -> int:
    """A square root; the roots of other degrees are not always consistent with each other."""
    if degree != 2 or pow(number, PRIME // 2, PRIME) != 1:
        raise NoValue
    odd, twos = PRIME - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    unit = pow(_non_square(), odd, PRIME)
    root, rest = pow(number, (odd + 1) // 2, PRIME), pow(number, odd, PRIME)
    while rest != 1:
        power, square = 0, rest
        while square != 1:
            square, power = square * square % PRIME, power + 1
        step = pow(unit, 1 << (twos - power - 1), PRIME)
        twos, unit = power, step * step % PRIME
        root, rest = root * step % PRIME, rest * unit % PRIME
    return root


@lru_cache(maxsize=1)
def _non_square() -> int:
    return next(n for n in range(2, 1000) if pow(n, PRIME // 2, PRIME) == PRIME - 1)
