"""Rational arithmetic on trees: what is a rational number without roots or functions, exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, factorial, gcd, lcm
from typing import Final

from evalsi_pack_rl.math_equiv.canonical.budget import Budget, OutOfBudget, Undefined
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Base,
    Call,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Sum,
)

__all__ = ["rational"]

_MOST: Final = 5000
"""The largest number whose factorial is computed."""


def rational(node: Node, budget: Budget) -> Fraction | None:
    """The value of a tree of rational operations on numbers; None for any other tree.

    Raises:
        Undefined: for 1/0, 0^0 and the factorial of a negative number.
        OutOfBudget: before a number that is too long is computed.
    """
    if isinstance(node, Number):
        return node.value
    reading = _READERS.get(type(node))
    return None if reading is None else reading(node, budget)


def _based(node: Base, _budget: Budget) -> Fraction:
    return Fraction(int(node.digits, node.base))


def _percent(node: Quantity, budget: Budget) -> Fraction | None:
    value = rational(node.value, budget) if node.unit == "%" else None
    return None if value is None else value / 100


def _total(node: Sum, budget: Budget) -> Fraction | None:
    total = Fraction(0)
    for term in node.terms:
        value = rational(term, budget)
        if value is None:
            return None
        total += value
        budget.admit(total.denominator.bit_length() + total.numerator.bit_length())
    return total


def _product(node: Product, budget: Budget) -> Fraction | None:
    product = Fraction(1)
    for factor in node.factors:
        value = rational(factor, budget)
        if value is None:
            return None
        product *= value
        budget.admit(product.denominator.bit_length() + product.numerator.bit_length())
    return product


def _power(node: Power, budget: Budget) -> Fraction | None:
    base = rational(node.base, budget)
    if base is None:
        return None
    exponent = rational(node.exponent, budget)
    if exponent is None or exponent.denominator != 1:
        return None
    if not base and exponent <= 0:
        raise Undefined
    if base in {0, 1}:
        return base
    size = max(abs(base.numerator), base.denominator).bit_length() - 1
    budget.admit(abs(int(exponent)) * size)
    if base == -1:
        return Fraction(-1 if exponent % 2 else 1)
    return base ** int(exponent)


def _call(node: Call, budget: Budget) -> Fraction | None:
    function = _FUNCTIONS.get(node.name)
    if function is None:
        return None
    numbers = []
    for argument in node.arguments:
        value = rational(argument, budget)
        if value is None:
            return None
        numbers.append(value)
    return function(numbers, budget)


def _sign(numbers: list[Fraction], _budget: Budget) -> Fraction:
    return Fraction((numbers[0] > 0) - (numbers[0] < 0))


def _factorial(numbers: list[Fraction], budget: Budget) -> Fraction | None:
    return Fraction(factorial_of(numbers[0], budget)) if numbers[0].denominator == 1 else None


def _double_factorial(numbers: list[Fraction], budget: Budget) -> Fraction | None:
    return Fraction(double_factorial(numbers[0], budget)) if numbers[0].denominator == 1 else None


def _binomial(numbers: list[Fraction], budget: Budget) -> Fraction | None:
    if any(number.denominator != 1 for number in numbers):
        return None
    return Fraction(combinations(int(numbers[0]), int(numbers[1]), budget))


def _remainder(numbers: list[Fraction], _budget: Budget) -> Fraction:
    if not numbers[1]:
        raise Undefined
    return numbers[0] % numbers[1]


def _divisor(numbers: list[Fraction], _budget: Budget) -> Fraction | None:
    if any(number.denominator != 1 for number in numbers):
        return None
    return Fraction(gcd(*(number.numerator for number in numbers)))


def _multiple(numbers: list[Fraction], budget: Budget) -> Fraction | None:
    if any(number.denominator != 1 for number in numbers):
        return None
    budget.admit(sum(number.numerator.bit_length() for number in numbers))
    return Fraction(lcm(*(number.numerator for number in numbers)))


def factorial_of(number: Fraction, budget: Budget) -> int:
    """The factorial of a whole number.

    Raises:
        Undefined: for a negative one.
    """
    if number < 0:
        raise Undefined
    if number > _MOST:
        raise OutOfBudget
    count = int(number)
    budget.admit(count * count.bit_length())
    return factorial(count)


def double_factorial(number: Fraction, budget: Budget) -> int:
    """The product of every second number down from a whole number, as `factorial_of`."""
    if number < 0:
        raise Undefined
    if number > _MOST:
        raise OutOfBudget
    count = int(number)
    budget.admit(count * count.bit_length() // 2)
    value = 1
    for factor in range(count, 1, -2):
        value *= factor
    return value


def combinations(top: int, bottom: int, budget: Budget) -> int:
    """How many subsets of `bottom` elements a set of `top` elements has."""
    if bottom < 0 or top < 0:
        raise Undefined
    if bottom > top:
        return 0
    fewer = min(bottom, top - bottom)
    if fewer > _MOST:
        raise OutOfBudget
    budget.admit(fewer * top.bit_length())
    return comb(top, fewer)


_FUNCTIONS: Final[dict[str, Callable[[list[Fraction], Budget], Fraction | None]]] = {
    "abs": lambda numbers, _: abs(numbers[0]),
    "floor": lambda numbers, _: Fraction(numbers[0] // 1),
    "ceil": lambda numbers, _: Fraction(-(-numbers[0] // 1)),
    "sgn": _sign,
    "min": lambda numbers, _: min(numbers),
    "max": lambda numbers, _: max(numbers),
    "factorial": _factorial,
    "double-factorial": _double_factorial,
    "binomial": _binomial,
    "mod": _remainder,
    "gcd": _divisor,
    "lcm": _multiple,
}
_READERS: Final[dict[type, Callable[..., Fraction | None]]] = {
    Sum: _total,
    Product: _product,
    Power: _power,
    Call: _call,
    Base: _based,
    Quantity: _percent,
}
