"""Polynomials over the integers, with exponents that may be negative or fractions.

A monomial is one integer: each atom has a field of `WIDTH` bits that holds its exponent, signed and
in units of 1/`UNIT`; so monomials multiply by one addition. A polynomial maps monomials to
coefficients that are not 0; the empty one is 0.
"""

from __future__ import annotations

from math import comb, gcd
from typing import Final, TypeAlias

from evalsi_pack_rl.math_equiv.canonical.budget import Budget, OutOfBudget

__all__ = ["UNIT", "WIDTH", "Polynomial", "content", "fields", "minus", "plus", "power", "times"]

Polynomial: TypeAlias = dict[int, int]

UNIT: Final = 2520
"""What stands for the exponent 1: halves to tenths are whole numbers of it."""

WIDTH: Final = 48
_HALF: Final = 1 << (WIDTH - 1)
_MASK: Final = (1 << WIDTH) - 1
_MOST_TERMS: Final = 4000


def plus(one: Polynomial, other: Polynomial, factor: int = 1) -> Polynomial:
    """The sum of the one and a multiple of the other."""
    total = dict(one)
    for monomial, coefficient in other.items():
        value = total.get(monomial, 0) + coefficient * factor
        if value:
            total[monomial] = value
        else:
            del total[monomial]
    return total


def minus(one: Polynomial) -> Polynomial:
    """The polynomial with the opposite signs."""
    return {monomial: -coefficient for monomial, coefficient in one.items()}


def times(one: Polynomial, other: Polynomial, budget: Budget) -> Polynomial:
    """The product."""
    if len(one) > len(other):
        one, other = other, one
    budget.spend(len(one) * len(other))
    product: Polynomial = {}
    if len(one) == 1:
        ((shift, factor),) = one.items()
        product = {shift + monomial: factor * value for monomial, value in other.items()}
    else:
        get = product.get
        for shift, factor in one.items():
            for monomial, value in other.items():
                key = shift + monomial
                product[key] = get(key, 0) + factor * value
        if 0 in product.values():
            product = {key: value for key, value in product.items() if value}
    bits = max(map(int.bit_length, product.values()), default=0)
    if bits > 256:
        budget.admit(bits)
        budget.spend(len(product) * (bits >> 8))
    return product


def power(base: Polynomial, exponent: int, budget: Budget) -> Polynomial:
    """The base to a whole exponent from 0; its size is known before it is computed."""
    if exponent == 1:
        return base
    if len(base) == 1:
        ((monomial, coefficient),) = base.items()
        budget.admit(exponent * max(coefficient.bit_length() - 1, coefficient not in {1, -1}))
        return {monomial * exponent: coefficient**exponent}
    if len(base) and exponent > _MOST_TERMS:
        raise OutOfBudget
    if len(base) and comb(exponent + len(base) - 1, exponent) > _MOST_TERMS:
        raise OutOfBudget
    result = {0: 1}
    for _ in range(exponent):
        result = times(result, base, budget)
    return result


def content(polynomial: Polynomial) -> int:
    """The greatest common divisor of the coefficients."""
    return gcd(*polynomial.values())


def fields(monomial: int) -> list[tuple[int, int]]:
    """The atoms of a monomial with their exponents in units, by place."""
    found = []
    place = 0
    while monomial:
        exponent = ((monomial + _HALF) & _MASK) - _HALF
        if exponent:
            found.append((place, exponent))
        monomial = (monomial - exponent) >> WIDTH
        place += 1
    return found
