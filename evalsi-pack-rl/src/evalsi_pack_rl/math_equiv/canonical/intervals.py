"""Intervals of fixed-point numbers that surely hold a real value: no floating point anywhere.

An interval is a pair of integers in units of 2**-`BITS`. Bounds are rounded outwards, so that two
intervals without a common point prove two values different on every machine.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Final, TypeAlias

from evalsi_pack_rl.math_equiv.canonical.budget import Unsupported

__all__ = ["BITS", "Interval", "divided", "multiplied", "of_rational", "raised", "square_root"]

Interval: TypeAlias = tuple[int, int]

BITS: Final = 200
_ONE: Final = 1 << BITS
_MOST_BITS: Final = 3000


def of_rational(value: Fraction) -> Interval:
    """The narrowest interval around a rational number."""
    top = value.numerator << BITS
    low = top // value.denominator
    return checked((low, low if low * value.denominator == top else low + 1))


def checked(interval: Interval) -> Interval:
    """The interval, unless its numbers are too long to go on with."""
    if max(interval[0].bit_length(), interval[1].bit_length()) > _MOST_BITS:
        raise Unsupported
    return interval


def multiplied(one: Interval, other: Interval) -> Interval:
    """The product."""
    ends = (
        one[0] * other[0],
        one[0] * other[1],
        one[1] * other[0],
        one[1] * other[1],
    )
    return checked((min(ends) >> BITS, -(-max(ends) >> BITS)))


def divided(one: Interval, other: Interval) -> Interval:
    """The quotient.

    Raises:
        Unsupported: when the divisor may be 0.
    """
    if other[0] <= 0 <= other[1]:
        raise Unsupported
    low, high = (_ONE << BITS) // other[1], -(-(_ONE << BITS) // other[0])
    return multiplied(one, (low, high))


def raised(base: Interval, exponent: int) -> Interval:
    """A whole power, of which the exponent may be negative."""
    if exponent < 0:
        return divided((_ONE, _ONE), raised(base, -exponent))
    if exponent > 1 and exponent * max(1, _magnitude(base)) > _MOST_BITS:
        raise Unsupported
    power = (_ONE, _ONE)
    square = base
    remaining = exponent
    while remaining:
        if remaining & 1:
            power = multiplied(power, square)
        remaining >>= 1
        if remaining:
            square = multiplied(square, square)
    if exponent % 2 == 0 and power[0] < 0:
        return 0, power[1]
    return power


def _magnitude(base: Interval) -> int:
    return max(base[0].bit_length(), base[1].bit_length()) - BITS


def square_root(value: Interval) -> Interval:
    """The square root.

    Raises:
        Unsupported: when the value may be negative.
    """
    if value[0] < 0:
        raise Unsupported
    low, high = isqrt(value[0] << BITS), isqrt(value[1] << BITS)
    return low, high + 1
