"""Powers with exponents that are no numbers, and logarithms, over the exponential function.

`b^x` is `exp(x ln b)`, and the exponential of a sum is a product; so `2^{n+1} = 2 * 2^n`,
`4^n = 2^{2n}`, `e^{2 ln 3} = 9`. Logarithms of products are sums, which holds wherever both sides
are defined.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.canonical.algebra import ONE, ZERO, Form
from evalsi_pack_rl.math_equiv.canonical.angles import sine_and_cosine
from evalsi_pack_rl.math_equiv.canonical.atoms import Atom
from evalsi_pack_rl.math_equiv.canonical.budget import Undefined, Unsupported
from evalsi_pack_rl.math_equiv.canonical.polynomials import UNIT, WIDTH, content, fields
from evalsi_pack_rl.math_equiv.canonical.primes import factors_of
from evalsi_pack_rl.math_equiv.canonical.roots import number_power, rational_power
from evalsi_pack_rl.math_equiv.canonical.signs import absolute_atom
from evalsi_pack_rl.math_equiv.syntax.tree import Symbol

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.canonical.reading import Reader

__all__ = ["exponential", "logarithm", "power_of"]


_MOST_TERMS: Final = 30
"""Terms of an exponent that are taken apart."""


def power_of(reader: Reader, base: Form, exponent: Form) -> Form:
    """A form to the power of another that is no rational number."""
    if base == ONE:
        return ONE
    if not base.top:
        raise Unsupported
    value = base.constant()
    if value is not None and value < 0:
        sign = _sign_power(reader, exponent)
        return reader.multiply(sign, power_of(reader, reader.number(-value), exponent))
    return exponential(reader, reader.multiply(exponent, logarithm(reader, base)))


def _sign_power(reader: Reader, exponent: Form) -> Form:
    """-1 to a power: whole numbers in it become a sign, and each other term an atom."""
    if exponent.bottom is not None or exponent.scale != 1:
        raise Unsupported
    power = ONE
    for monomial, coefficient in exponent.top.items():
        if monomial == 0:
            power = reader.multiply(power, reader.number(-1 if coefficient % 2 else 1))
        else:
            atom = reader.add_atom("sign", monomial)
            power = reader.multiply(power, reader.atom(atom, coefficient))
    return power


def exponential(reader: Reader, exponent: Form) -> Form:
    """The exponential function of a form."""
    if exponent.bottom is not None or len(exponent.top) > _MOST_TERMS:
        kind = "turn" if reader.is_complex(exponent) else "exp"
        return reader.atom(reader.add_atom(kind, reader.key(exponent), positive=False))
    power = ONE
    for monomial, coefficient in exponent.top.items():
        factor = _exponential(reader, monomial, Fraction(coefficient, exponent.scale))
        power = reader.multiply(power, factor)
    return power


def _exponential(reader: Reader, monomial: int, factor: Fraction) -> Form:
    found = fields(monomial)
    atoms = [reader.listed[place] for place, _ in found]
    kinds = {atom.kind for atom in atoms}
    if kinds == {"ln"} and len(found) == 1 and found[0][1] == UNIT:
        return _power_of_argument(reader, found[0][0], factor)
    unit = reader.find("i", None)
    if unit is not None and (unit.place, UNIT) in found and "turn" not in kinds:
        angle = Form({monomial - unit.unit: factor.numerator}, factor.denominator)
        return _turn(reader, angle)
    kind = "turn" if reader.is_complex(Form({monomial: 1})) else "exp"
    positive = kind == "exp" and all(
        atom.kind != "ln" or _is_positive(reader, atom) for atom in atoms
    )
    if UNIT % factor.denominator:
        key = monomial, factor.denominator
        atom = reader.add_atom(kind, key, positive=positive)
        return _atom_power(atom.place, Fraction(factor.numerator))
    if not monomial:
        return _atom_power(reader.constant("e").place, factor)
    atom = reader.add_atom(kind, monomial, positive=positive, detail=monomial)
    return _atom_power(atom.place, factor)


def _is_positive(reader: Reader, logarithm_atom: Atom) -> bool:
    """Whether a logarithm is of what is surely positive, so that powers of that are, too."""
    argument = logarithm_atom.detail
    if not isinstance(argument, Form) or len(argument.top) != 1:
        return False
    ((monomial, coefficient),) = argument.top.items()
    return coefficient > 0 and all(
        reader.listed[place].is_positive for place, _ in fields(monomial)
    )


def _power_of_argument(reader: Reader, place: int, exponent: Fraction) -> Form:

    base = reader.listed[place].detail
    assert isinstance(base, Form)
    value = base.constant()
    if value is not None:
        return number_power(reader, value, exponent)
    if exponent.denominator == 1:
        return reader.whole_power(base, int(exponent))
    return rational_power(reader, base, exponent, Symbol("x"))


def _turn(reader: Reader, angle: Form) -> Form:
    """The exponential function of `i` times a real angle, by Euler's formula."""
    sine, cosine = sine_and_cosine(reader, angle)
    return reader.add(cosine, reader.multiply(reader.atom(reader.constant("i")), sine))


def _atom_power(place: int, exponent: Fraction) -> Form:
    units = exponent * UNIT
    if units.denominator != 1 or abs(units) > 1 << 36:
        raise Unsupported
    return Form({int(units) << (WIDTH * place): 1})


def logarithm(reader: Reader, argument: Form) -> Form:
    """The natural logarithm of a form.

    Raises:
        Undefined: of 0.
        Unsupported: of a negative number.
    """
    if not argument.top:
        raise Undefined
    if argument.bottom is not None:
        top = logarithm(reader, Form(argument.top, argument.scale))
        return reader.add(top, reader.negative(logarithm(reader, Form(argument.bottom))))
    if len(argument.top) > 1:
        return _of_sum(reader, argument)
    ((monomial, coefficient),) = argument.top.items()
    if coefficient < 0:
        if not monomial:
            raise Unsupported
        return reader.atom(reader.add_atom("ln", reader.key(argument), detail=argument))
    total = _of_number(reader, Fraction(coefficient, argument.scale))
    for place, units in fields(monomial):
        total = reader.add(total, _of_atom(reader, place, Fraction(units, UNIT)))
    return total


def _of_number(reader: Reader, value: Fraction) -> Form:
    total = ZERO
    for number, sign in ((value.numerator, 1), (value.denominator, -1)):
        for prime, count in factors_of(number):
            term = reader.multiply(reader.number(count * sign), _atom(reader, reader.number(prime)))
            total = reader.add(total, term)
    return total


def _of_sum(reader: Reader, argument: Form) -> Form:
    common = content(argument.top)
    rest = Form({key: value // common for key, value in argument.top.items()})
    number = _of_number(reader, Fraction(common, argument.scale))
    return reader.add(number, _atom(reader, rest))


def _of_atom(reader: Reader, place: int, exponent: Fraction) -> Form:
    atom = reader.listed[place]
    if atom.kind in {"i", "turn"}:
        raise Unsupported
    if atom.kind == "e":
        return reader.number(exponent)
    if atom.kind == "exp" and isinstance(atom.detail, int):
        value = Form({atom.detail: 1})
    elif isinstance(atom.detail, int):
        value = _of_number(reader, Fraction(atom.detail))
    elif not atom.is_positive and exponent.denominator == 1 and exponent % 2 == 0:
        value = _atom(reader, reader.atom(absolute_atom(reader, atom)))
    else:
        value = _atom(reader, reader.atom(atom))
    return reader.multiply(reader.number(exponent), value)


def _atom(reader: Reader, argument: Form) -> Form:
    return reader.atom(reader.add_atom("ln", reader.key(argument), detail=argument))
