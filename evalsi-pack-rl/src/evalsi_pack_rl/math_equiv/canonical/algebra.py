"""Quotients of polynomials over the atoms of one comparison: the normal form of an expression."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import gcd
from typing import Final, NamedTuple

from evalsi_pack_rl.math_equiv.canonical.atoms import Atom, Atoms
from evalsi_pack_rl.math_equiv.canonical.budget import Budget, OutOfBudget, Undefined
from evalsi_pack_rl.math_equiv.canonical.polynomials import (
    UNIT,
    WIDTH,
    Polynomial,
    content,
    fields,
    plus,
    power,
    times,
)

__all__ = ["ONE", "ZERO", "Algebra", "Form"]

_MOST_EXPONENT: Final = 1 << 36


class Form(NamedTuple):
    """`top / (scale * bottom)`.

    Attributes:
        top: a polynomial; where `bottom` is None its exponents may be negative.
        scale: a positive integer without a common divisor with the coefficients of `top`.
        bottom: a polynomial of two or more terms with content 1, or None for 1.
    """

    top: Polynomial
    scale: int = 1
    bottom: Polynomial | None = None

    def constant(self) -> Fraction | None:
        """The rational number that the form is, if it is one."""
        if self.bottom is not None or len(self.top) > 1:
            return None
        if not self.top:
            return Fraction(0)
        return Fraction(self.top[0], self.scale) if 0 in self.top else None


ZERO: Final = Form({})
ONE: Final = Form({0: 1})


class Algebra(Atoms):
    """The arithmetic of forms; every operation takes from the budget."""

    __slots__ = ()

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)

    def number(self, value: Fraction | int) -> Form:
        """A rational number."""
        return Form({0: value.numerator}, value.denominator) if value else ZERO

    def atom(self, atom: Atom, exponent: Fraction | int = 1) -> Form:
        """An atom to a power, of which the units must be whole."""
        units = exponent * UNIT
        return Form({int(units) << (WIDTH * atom.place): 1})

    def add(self, one: Form, other: Form) -> Form:
        """The sum."""
        if not other.top or not one.top:
            return one if one.top else other
        self.toil(4 + len(one.top) + len(other.top))
        scale = one.scale * other.scale // gcd(one.scale, other.scale)
        first, second = scale // one.scale, scale // other.scale
        if one.bottom == other.bottom:
            left = one.top if first == 1 else {key: c * first for key, c in one.top.items()}
            return self.form(plus(left, other.top, second), scale, one.bottom)
        left, right = one.top, other.top
        if other.bottom is not None:
            left = self._times(left, other.bottom)
        if one.bottom is not None:
            right = self._times(right, one.bottom)
        left = {key: value * first for key, value in left.items()}
        return self.form(plus(left, right, second), scale, self._bottoms(one, other))

    def multiply(self, one: Form, other: Form) -> Form:
        """The product."""
        if not one.top or not other.top:
            return ZERO
        self.toil(4)
        if one.bottom is not None or other.bottom is not None:
            one, other = _cancelled(one, other)
        top = self._times(one.top, other.top)
        if one.bottom is None and other.bottom is None and one.scale == other.scale == 1:
            return Form(top)
        return self.form(top, one.scale * other.scale, self._bottoms(one, other))

    def negative(self, one: Form) -> Form:
        """The form with the opposite sign."""
        return Form({key: -value for key, value in one.top.items()}, one.scale, one.bottom)

    def inverse(self, one: Form) -> Form:
        """1 over the form.

        Raises:
            Undefined: for 0.
        """
        if not one.top:
            raise Undefined
        top = one.bottom if one.bottom is not None else {0: 1}
        if one.scale != 1:
            top = {key: value * one.scale for key, value in top.items()}
        if len(one.top) > 1:
            return self.form(top, 1, one.top)
        ((monomial, coefficient),) = one.top.items()
        if coefficient < 0:
            top = {key: -value for key, value in top.items()}
        shift, bottom = self._inverted(monomial)
        top = self._times(top, shift)
        scale = bottom.get(0, 0) if len(bottom) == 1 else 0
        if not scale:
            return self.form(top, abs(coefficient), bottom)
        if scale < 0:
            top = {key: -value for key, value in top.items()}
        return self.form(top, abs(coefficient * scale), None)

    def _inverted(self, monomial: int) -> tuple[Polynomial, Polynomial]:
        """1 over a monomial: atoms that must not have negative exponents are rationalised."""
        bottom: Polynomial = {0: 1}
        shift = -monomial
        for place, units in fields(monomial):
            rule = self.rules.get(place)
            if units > 0 and rule is not None and self.listed[place].kind in _RATIONALISED:
                shift += rule.step << rule.shift
                bottom = self._times(bottom, rule.value)
        return {shift: 1}, bottom

    def whole_power(self, one: Form, exponent: int) -> Form:
        """The form to a whole power.

        Raises:
            Undefined: for 0 to the power 0 or less.
        """
        if exponent <= 0 and not one.top:
            raise Undefined
        if exponent < 0:
            return self.whole_power(self.inverse(one), -exponent)
        if exponent == 0:
            return ONE
        self.budget.admit(exponent * max(one.scale.bit_length() - 1, one.scale > 1))
        self._check_exponents(one.top, exponent)
        top = self.reduced(power(one.top, exponent, self.budget))
        bottom = one.bottom
        if bottom is not None:
            bottom = self.reduced(power(bottom, exponent, self.budget))
        return self.form(top, one.scale**exponent, bottom)

    def _check_exponents(self, polynomial: Polynomial, exponent: int) -> None:
        if exponent == 1 or (len(polynomial) == 1 and 0 in polynomial):
            return
        self.toil(2 * len(polynomial))
        for monomial in polynomial:
            if any(abs(units) * exponent > _MOST_EXPONENT for _, units in fields(monomial)):
                raise OutOfBudget

    def form(self, top: Polynomial, scale: int, bottom: Polynomial | None) -> Form:
        """The quotient in lowest terms as far as whole numbers and single terms go.

        Raises:
            Undefined: when the bottom is 0.
        """
        if bottom is not None:
            if not bottom:
                raise Undefined
            if len(bottom) == 1:
                return self.multiply(Form(top, scale), self.inverse(Form(bottom)))
            common = content(bottom)
            if common != 1:
                bottom = {key: value // common for key, value in bottom.items()}
                scale *= common
            ratio = _ratio(top, bottom)
            if ratio:
                top, scale, bottom = {0: ratio.numerator}, scale * ratio.denominator, None
        if not top:
            return ZERO
        if scale != 1:
            self.budget.admit(scale.bit_length())
            common = gcd(scale, *top.values())
            if common != 1:
                top = {key: value // common for key, value in top.items()}
                scale //= common
        return Form(top, scale, bottom)

    def reduced_form(self, one: Form) -> Form:
        """The form after all replacements in its top."""
        return Form(self.reduced(one.top), one.scale, one.bottom)

    def root_atom(self, radicand: Polynomial, *, positive: bool) -> Atom:
        """The atom of which the powers are fractional powers of a polynomial."""
        key = frozenset(radicand.items())
        atom = self.find("root", key)
        if atom is None:
            atom = self.add_atom("root", key, positive=positive)
            self.replace(atom, 1, radicand)
        return atom

    def is_complex(self, one: Form) -> bool:
        """Whether the form may have values that are not real."""
        polynomials = (one.top, one.bottom or {})
        return any(
            self.exponent(monomial, place)
            for place in self.complex_places
            for polynomial in polynomials
            for monomial in polynomial
        )

    def key(self, one: Form) -> Hashable:
        """What equal forms share, as far as the form is unique."""
        bottom = None if one.bottom is None else frozenset(one.bottom.items())
        return frozenset(one.top.items()), one.scale, bottom

    def equal(self, one: Form, other: Form) -> bool:
        """Whether the two are equal, by multiplying crosswise."""
        return not self.difference(one, other)

    def difference(self, one: Form, other: Form) -> Polynomial:
        """A polynomial that is 0 exactly when the two are equal as quotients of polynomials."""
        left = {key: value * other.scale for key, value in one.top.items()}
        if other.bottom is not None:
            left = self._times(left, other.bottom)
        right = other.top if one.bottom is None else self._times(other.top, one.bottom)
        return self._cleared(plus(left, right, -one.scale))

    def _cleared(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial times what makes the exponents of replaced atoms positive."""
        for place, rule in self.rules.items():
            if self.listed[place].kind not in _RATIONALISED:
                self.toil(len(polynomial))
                lowest = min((self.exponent(key, place) for key in polynomial), default=0)
                if lowest < 0:
                    shift = -lowest << rule.shift
                    polynomial = {key + shift: value for key, value in polynomial.items()}
        return self.reduced(polynomial)

    def _times(self, one: Polynomial, other: Polynomial) -> Polynomial:
        self.toil(len(one) * len(other) >> 1)
        return self.reduced(times(one, other, self.budget))

    def _bottoms(self, one: Form, other: Form) -> Polynomial | None:
        if one.bottom is None or other.bottom is None:
            return one.bottom if other.bottom is None else other.bottom
        return self._times(one.bottom, other.bottom)


def _ratio(one: Polynomial, other: Polynomial) -> Fraction | None:
    """By which number the one is a multiple of the other, if it is one."""
    if one.keys() != other.keys():
        return None
    key = next(iter(one))
    ratio = Fraction(one[key], other[key])
    return ratio if all(value == ratio * other[key] for key, value in one.items()) else None


def _cancelled(one: Form, other: Form) -> tuple[Form, Form]:
    """Two factors without a bottom that is the other's top."""
    for _ in range(2):
        ratio = None if one.bottom is None else _ratio(other.top, one.bottom)
        if ratio is not None:
            one = Form(one.top, one.scale)
            other = Form({0: ratio.numerator}, other.scale * ratio.denominator, other.bottom)
        one, other = other, one
    return one, other


_RATIONALISED: Final = frozenset({"prime", "root", "i"})
