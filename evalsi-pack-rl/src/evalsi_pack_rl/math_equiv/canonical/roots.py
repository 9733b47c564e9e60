"""Rational powers: of numbers through their primes, of letters, of sums, of nested roots.

A letter under an even root counts as not negative; the root of an even power is an absolute value.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.canonical.algebra import ONE, ZERO, Form
from evalsi_pack_rl.math_equiv.canonical.budget import Unsupported
from evalsi_pack_rl.math_equiv.canonical.enclosing import sign_of
from evalsi_pack_rl.math_equiv.canonical.polynomials import (
    UNIT,
    Polynomial,
    content,
    fields,
    minus,
    plus,
)
from evalsi_pack_rl.math_equiv.canonical.primes import factors_of, is_factored
from evalsi_pack_rl.math_equiv.canonical.signs import absolute, absolute_atom
from evalsi_pack_rl.math_equiv.syntax.tree import Node, Symbol

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.canonical.reading import Reader

__all__ = ["number_power", "rational_power"]


_MOST_TERMS: Final = 40
"""Terms of a sum that is tried as a square."""


def rational_power(reader: Reader, base: Form, exponent: Fraction, node: Node) -> Form:
    """The form to a fraction that is no whole number; the tree tells the sign of a constant.

    Raises:
        Undefined: for 0 to a negative power.
        Unsupported: for a complex number, of which the root would depend on a choice.
    """
    if reader.is_complex(base):
        raise Unsupported
    if not base.top and exponent > 0:
        return ZERO
    if exponent < 0:
        return reader.inverse(rational_power(reader, base, -exponent, node))
    if base.bottom is not None:
        top = rational_power(reader, Form(base.top, base.scale), exponent, node)
        bottom = rational_power(reader, Form(base.bottom), exponent, node)
        return reader.multiply(top, reader.inverse(bottom))
    one_term = len(base.top) == 1
    return (_monomial if one_term else _of_sum)(reader, base, exponent, node)


def number_power(reader: Reader, base: Fraction, exponent: Fraction) -> Form:
    """A positive rational number to any fraction."""
    product = ONE
    for number, sign in ((base.numerator, 1), (base.denominator, -1)):
        for prime, count in factors_of(number):
            power = count * sign * exponent
            whole, part = divmod(power, 1)
            reader.budget.admit(abs(int(whole)) * prime.bit_length())
            product = reader.multiply(product, reader.number(Fraction(prime) ** int(whole)))
            if part:
                product = reader.multiply(product, _prime_power(reader, prime, part))
    return product


def _prime_power(reader: Reader, prime: int, part: Fraction) -> Form:
    degree = 1 if UNIT % part.denominator == 0 else part.denominator
    if degree > UNIT:
        raise Unsupported
    kind = "prime" if is_factored(prime) and degree == 1 else "root"
    atom = reader.find(kind, (prime, degree))
    if atom is None:
        atom = reader.add_atom(kind, (prime, degree), positive=True, detail=prime)
        reader.replace(atom, degree, {0: prime})
    return reader.atom(atom, part * degree)


def _of_sum(reader: Reader, base: Form, exponent: Fraction, node: Node) -> Form:
    if exponent.denominator == 2:
        nested = _denested(reader, base)
        if nested is not None:
            return reader.whole_power(nested, exponent.numerator)
        square = _root_of_polynomial(base.top)
        if square is not None:
            root = absolute(reader, Form(square), Symbol("x"))
            scale = number_power(reader, Fraction(1, base.scale), Fraction(1, 2))
            return reader.whole_power(reader.multiply(root, scale), exponent.numerator)
    return _polynomial(reader, base, exponent, node)


def _monomial(reader: Reader, base: Form, exponent: Fraction, node: Node) -> Form:
    ((monomial, coefficient),) = base.top.items()
    is_even = exponent.denominator % 2 == 0
    power = ONE
    if coefficient < 0:
        if is_even:
            return _of_negative(reader, base, exponent, node)
        power = reader.number(-1 if exponent.numerator % 2 else 1)
    number = number_power(reader, Fraction(abs(coefficient), base.scale), exponent)
    power = reader.multiply(power, number)
    for place, units in fields(monomial):
        power = reader.multiply(power, _atom_power(reader, place, units, exponent))
    return power


def _of_negative(reader: Reader, base: Form, exponent: Fraction, node: Node) -> Form:
    ((monomial, _),) = base.top.items()
    if all(reader.listed[place].is_positive for place, _ in fields(monomial)):
        if exponent.denominator != 2:
            raise Unsupported
        root = rational_power(reader, reader.negative(base), exponent, node)
        unit = reader.atom(reader.constant("i"))
        return reader.multiply(reader.whole_power(unit, exponent.numerator), root)
    return _polynomial(reader, base, exponent, node)


def _atom_power(reader: Reader, place: int, units: int, exponent: Fraction) -> Form:
    atom = reader.listed[place]
    if atom.kind == "prime" and isinstance(atom.detail, int):
        return number_power(reader, Fraction(atom.detail), exponent * units / UNIT)
    result = units * exponent
    if result.denominator != 1:
        raise Unsupported
    is_even_power = units % (2 * UNIT) == 0 and exponent.denominator % 2 == 0
    if is_even_power and not atom.is_positive and result % (2 * UNIT):
        atom = absolute_atom(reader, atom)
    return reader.reduced_form(reader.atom(atom, Fraction(result, UNIT)))


def _polynomial(reader: Reader, base: Form, exponent: Fraction, node: Node) -> Form:
    common = content(base.top)
    primitive = {key: value // common for key, value in base.top.items()}
    power = number_power(reader, Fraction(common, base.scale), exponent)
    sign = sign_of(node, reader.budget)
    if exponent.denominator % 2:
        if primitive[max(primitive)] < 0:
            primitive = minus(primitive)
            power = reader.negative(power) if exponent.numerator % 2 else power
    elif sign is not None and sign < 0:
        if exponent.denominator != 2:
            raise Unsupported
        primitive = minus(primitive)
        unit = reader.atom(reader.constant("i"))
        power = reader.multiply(power, reader.whole_power(unit, exponent.numerator))
    whole, part = divmod(exponent, 1)
    if UNIT % part.denominator:
        raise Unsupported
    atom = reader.root_atom(primitive, positive=exponent.denominator % 2 == 0)
    power = reader.multiply(power, reader.whole_power(Form(primitive), int(whole)))
    return reader.multiply(power, reader.atom(atom, part))


def _denested(reader: Reader, base: Form) -> Form | None:
    """The root of `a + b * sqrt(c)` as a sum of two roots, where it is one."""
    if len(base.top) != 2 or 0 not in base.top:
        return None
    first = base.top[0] * base.scale
    monomial = next(key for key in base.top if key)
    second = base.top[monomial] * base.scale
    if any(reader.listed[place].kind != "prime" for place, _ in fields(monomial)):
        return None
    square = reader.whole_power(Form({monomial: 1}), 2).constant()
    if square is None or first <= 0:
        return None
    root = _root_of_square(first * first - second * second * square)
    if root is None:
        return None
    half = Fraction(1, 2)
    one, other = (first + root) / 2, (first - root) / 2
    left = number_power(reader, one, half)
    right = number_power(reader, other, half)
    total = reader.add(left, right if second > 0 else reader.negative(right))
    return reader.multiply(total, reader.number(Fraction(1, base.scale)))


def _root_of_polynomial(square: Polynomial) -> Polynomial | None:
    """The polynomial of which this one is the square, if there is a short one."""
    if len(square) > _MOST_TERMS:
        return None
    rest = dict(square)
    lead = max(rest)
    first = isqrt(max(rest[lead], 0))
    if first * first != rest[lead] or lead % 2:
        return None
    root: Polynomial = {}
    key, factor = lead // 2, first
    for _ in range(len(square)):
        step = {key + other: 2 * factor * value for other, value in root.items()}
        step[2 * key] = factor * factor
        rest = plus(rest, step, -1)
        root[key] = factor
        if not rest:
            return root
        highest = max(rest)
        key = highest - lead // 2
        factor, left = divmod(rest[highest], 2 * first)
        if left or key in root:
            return None
    return None


def _root_of_square(value: Fraction) -> Fraction | None:
    if value <= 0:
        return None
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    if top * top != value.numerator or bottom * bottom != value.denominator:
        return None
    return Fraction(top, bottom)
