"""Exponential, logarithm, sine, cosine and arc tangent of intervals, with proven bounds.

Series are summed in fixed point with guard bits; a bound on all rounding is added at both ends.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import Final

from evalsi_pack_rl.math_equiv.canonical.budget import Unsupported
from evalsi_pack_rl.math_equiv.canonical.intervals import BITS, Interval, checked

__all__ = ["arc_tangent", "cosine", "exponential", "logarithm", "pi", "sine"]

_GUARD: Final = 64
_WORK: Final = BITS + _GUARD
_UNIT: Final = 1 << _WORK
_ERROR: Final = 1 << 24
"""In units of the working precision; the series below lose less than 2**20 of them."""

_HALVINGS: Final = 8
_LARGEST: Final = 2000


def pi() -> Interval:
    """The ratio of a circle's circumference to its diameter."""
    return _outward(_pi(), _ERROR)


def exponential(value: Interval) -> Interval:
    """The exponential function."""
    return checked((_exponential(value[0])[0], _exponential(value[1])[1]))


def logarithm(value: Interval) -> Interval:
    """The natural logarithm.

    Raises:
        Unsupported: when the value may be 0 or less.
    """
    if value[0] <= 0:
        raise Unsupported
    return _outward(_logarithm(value[0]), _ERROR)[0], _outward(_logarithm(value[1]), _ERROR)[1]


def sine(value: Interval) -> Interval:
    """The sine."""
    return _wave(value, 0)


def cosine(value: Interval) -> Interval:
    """The cosine."""
    return _wave(value, 1)


def arc_tangent(value: Interval) -> Interval:
    """The arc tangent."""
    low, high = _arc_tangent(value[0] << _GUARD), _arc_tangent(value[1] << _GUARD)
    return _outward(low, _ERROR)[0], _outward(high, _ERROR)[1]


def _outward(value: int, error: int) -> Interval:
    return (value - error) >> _GUARD, -((-value - error) >> _GUARD)


def _exponential(value: int) -> Interval:
    if abs(value) >> BITS > _LARGEST:
        raise Unsupported
    fine = value << _GUARD
    count = fine // _ln2()
    rest = (fine - count * _ln2()) >> _HALVINGS
    total = term = _UNIT
    step = 1
    while term:
        term = (term * rest >> _WORK) // step
        total += term
        step += 1
    for _ in range(_HALVINGS):
        total = total * total >> _WORK
    shift = count - _GUARD
    if shift >= 0:
        return (total - _ERROR) << shift, (total + _ERROR) << shift
    return (total - _ERROR) >> -shift, -((-total - _ERROR) >> -shift)


def _logarithm(value: int) -> int:
    count = value.bit_length() - 1 - BITS
    shift = _GUARD - count
    mantissa = value << shift if shift >= 0 else value >> -shift
    ratio = ((mantissa - _UNIT) << _WORK) // (mantissa + _UNIT)
    return 2 * _odd_series(ratio, 1) + count * _ln2()


@lru_cache(maxsize=1)
def _ln2() -> int:
    # ln 2 = 2 artanh(1/3); a multiple of it up to 3,000 must stay within the error.
    return 2 * _odd_series(_UNIT // 3, 1)


@lru_cache(maxsize=1)
def _pi() -> int:
    # Machin: pi/4 = 4 arctan(1/5) - arctan(1/239)
    return 4 * (4 * _odd_series(_UNIT // 5, -1) - _odd_series(_UNIT // 239, -1))


def _odd_series(value: int, sign: int) -> int:
    """`x + s x^3/3 + x^5/5 + ...`: the area hyperbolic tangent, or the arc tangent."""
    square = value * value >> _WORK
    total, power, step = value, value, 1
    while power:
        power = sign * (power * square >> _WORK)
        step += 2
        total += power // step
        if power == -1:
            break
    return total


def _wave(value: Interval, quarter: int) -> Interval:
    width = value[1] - value[0]
    if width >> (BITS - 1) or abs(value[0]) >> (2 * BITS):
        raise Unsupported
    fine = value[0] << _GUARD
    half_pi = _pi() >> 1
    turns = (2 * fine + half_pi) // (2 * half_pi)
    if turns.bit_length() > 16:
        raise Unsupported
    result = _reduced_wave(fine - turns * half_pi, (turns + quarter) % 4)
    low, high = _outward(result, _ERROR)
    return max(low - width, -(1 << BITS)), min(high + width, 1 << BITS)


def _reduced_wave(angle: int, quarter: int) -> int:
    square = angle * angle >> _WORK
    term = _UNIT if quarter % 2 else angle
    total, step = term, 1 if quarter % 2 else 2
    while term not in {0, -1}:
        term = -(term * square >> _WORK) // (step * (step + 1))
        total += term
        step += 2
    return -total if quarter > 1 else total


def _arc_tangent(value: int) -> int:
    for _ in range(3):
        value = (value << _WORK) // (_UNIT + isqrt((_UNIT << _WORK) + value * value))
    return 8 * _odd_series(value, -1)
