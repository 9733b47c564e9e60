r"""Sines and cosines: exact at rational multiples of pi, expanded for sums and multiples.

Every angle becomes a sum of multiples of few angles, each with a sine and a cosine of which the
squares add up to 1; so double angles, products and `\tan = \sin/\cos` need no rules of their own.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.canonical.algebra import ONE, ZERO, Form
from evalsi_pack_rl.math_equiv.canonical.polynomials import UNIT, fields
from evalsi_pack_rl.math_equiv.canonical.roots import rational_power
from evalsi_pack_rl.math_equiv.syntax.grammar import parse
from evalsi_pack_rl.math_equiv.syntax.tree import Symbol

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.canonical.reading import Reader

__all__ = ["arc", "sine_and_cosine"]

_ARCS: Final = frozenset({"arcsin", "arctan"})
_MOST_TERMS: Final = 3
_MOST_MULTIPLE: Final = 12
_COSINES: Final = {
    Fraction(numbers): parse(text)
    for numbers, text in (
        ("0", "1"),
        ("1/6", r"\sqrt3/2"),
        ("1/4", r"\sqrt2/2"),
        ("1/3", "1/2"),
        ("1/2", "0"),
        ("1/5", r"(1+\sqrt5)/4"),
        ("2/5", r"(\sqrt5-1)/4"),
        ("1/12", r"(\sqrt6+\sqrt2)/4"),
        ("5/12", r"(\sqrt6-\sqrt2)/4"),
        ("1/8", r"\sqrt{2+\sqrt2}/2"),
        ("3/8", r"\sqrt{2-\sqrt2}/2"),
        ("1/10", r"\sqrt{10+2\sqrt5}/4"),
        ("3/10", r"\sqrt{10-2\sqrt5}/4"),
    )
}
"""Cosines of multiples of pi in the first quarter turn."""

_TANGENTS: Final = {
    Fraction(numbers): parse(text)
    for numbers, text in (
        ("1/6", r"\sqrt3/3"),
        ("1/4", "1"),
        ("1/3", r"\sqrt3"),
        ("1/12", r"2-\sqrt3"),
        ("5/12", r"2+\sqrt3"),
        ("1/8", r"\sqrt2-1"),
        ("3/8", r"\sqrt2+1"),
    )
}


def _sine_of_turn(reader: Reader, angle: Fraction) -> Form:
    """The sine of `angle * pi`."""
    return _cosine_of_turn(reader, Fraction(1, 2) - angle)


def _cosine_of_turn(reader: Reader, angle: Fraction) -> Form:
    """The cosine of `angle * pi`."""
    angle = abs(angle) % 2
    angle = min(angle, 2 - angle)
    if angle > Fraction(1, 2):
        return reader.negative(_cosine_of_turn(reader, 1 - angle))
    if angle in _COSINES:
        return reader.read(_COSINES[angle])
    parts = lcm(2, angle.denominator)
    unit = reader.constant("pi").unit, parts
    count = int(angle * parts)
    if angle > Fraction(1, 4):
        return _multiple(reader, unit, parts // 2 - count)[0]
    return _multiple(reader, unit, count)[1]


def sine_and_cosine(reader: Reader, angle: Form) -> tuple[Form, Form]:
    """Both of any angle."""
    if angle.bottom is not None or len(angle.top) > _MOST_TERMS:
        return _opaque(reader, angle)
    sine, cosine = ZERO, ONE
    for monomial, coefficient in angle.top.items():
        other, another = _of_term(reader, monomial, Fraction(coefficient, angle.scale))
        sine, cosine = (
            reader.add(reader.multiply(sine, another), reader.multiply(cosine, other)),
            reader.add(
                reader.multiply(cosine, another), reader.negative(reader.multiply(sine, other))
            ),
        )
    return sine, cosine


def _of_term(reader: Reader, monomial: int, factor: Fraction) -> tuple[Form, Form]:
    found = fields(monomial)
    if len(found) == 1 and found[0][1] == UNIT:
        atom = reader.listed[found[0][0]]
        if atom.kind == "pi":
            return _sine_of_turn(reader, factor), _cosine_of_turn(reader, factor)
        if atom.kind in _ARCS and abs(factor) == 1 and isinstance(atom.detail, Form):
            sine, cosine = _of_arc(reader, atom.kind, atom.detail)
            return (sine if factor > 0 else reader.negative(sine)), cosine
    sine, cosine = _multiple(reader, (monomial, factor.denominator), abs(factor.numerator))
    return (sine if factor > 0 else reader.negative(sine)), cosine


def _of_arc(reader: Reader, kind: str, value: Form) -> tuple[Form, Form]:
    square = reader.multiply(value, value)
    sign = reader.negative(square) if kind == "arcsin" else square
    rest = rational_power(reader, reader.add(ONE, sign), Fraction(1, 2), Symbol("x"))
    if kind == "arcsin":
        return value, rest
    cosine = reader.inverse(rest)
    return reader.multiply(value, cosine), cosine


def _multiple(reader: Reader, angle: tuple[int, int], count: int) -> tuple[Form, Form]:
    """Sine and cosine of a multiple of an angle that is a monomial over a whole number."""
    if count > _MOST_MULTIPLE:
        return _pair(reader, (*angle, count))
    sine, cosine = _pair(reader, angle)
    first = sine, cosine
    for _ in range(count - 1):
        sine, cosine = (
            reader.add(reader.multiply(sine, first[1]), reader.multiply(cosine, first[0])),
            reader.add(
                reader.multiply(cosine, first[1]), reader.negative(reader.multiply(sine, first[0]))
            ),
        )
    return sine, cosine


def _opaque(reader: Reader, angle: Form) -> tuple[Form, Form]:
    top = angle.top
    is_turned = top[max(top)] < 0
    sine, cosine = _pair(reader, reader.key(reader.negative(angle) if is_turned else angle))
    return (reader.negative(sine) if is_turned else sine), cosine


def _pair(reader: Reader, key: object) -> tuple[Form, Form]:
    cosine = reader.add_atom("cos", key)
    sine = reader.find("sin", key)
    if sine is None:
        sine = reader.add_atom("sin", key)
        reader.replace(sine, 2, {0: 1, 2 * cosine.unit: -1})
    return reader.atom(sine), reader.atom(cosine)


def arc(reader: Reader, name: str, value: Form) -> Form:
    """The principal arc sine, arc cosine or arc tangent."""
    if name == "arccos":
        right = reader.multiply(reader.number(Fraction(1, 2)), reader.atom(reader.constant("pi")))
        return reader.add(right, reader.negative(arc(reader, "arcsin", value)))
    if not value.top:
        return ZERO
    if value.top[max(value.top)] < 0:
        return reader.negative(arc(reader, name, reader.negative(value)))
    known = _known_arc(reader, name, value)
    if known is not None:
        return reader.multiply(reader.number(known), reader.atom(reader.constant("pi")))
    return reader.atom(reader.add_atom(name, reader.key(value), detail=value))


def _known_arc(reader: Reader, name: str, value: Form) -> Fraction | None:
    """The arc as a multiple of pi, where it is a simple one."""
    if name not in reader.arcs:
        reader.arcs[name] = _arcs(reader, name)
    return reader.arcs[name].get(reader.key(value))


def _arcs(reader: Reader, name: str) -> dict[Hashable, Fraction]:
    found: dict[Hashable, Fraction] = {}
    for angle, node in (_COSINES if name == "arcsin" else _TANGENTS).items():
        arc_of = Fraction(1, 2) - angle if name == "arcsin" else angle
        form = reader.read(node)
        found[reader.key(form)] = arc_of
        found[reader.key(reader.negative(form))] = -arc_of
    return found
