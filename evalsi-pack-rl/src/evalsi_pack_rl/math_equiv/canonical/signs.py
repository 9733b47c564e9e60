"""Absolute values."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from evalsi_pack_rl.math_equiv.canonical.algebra import Form
from evalsi_pack_rl.math_equiv.canonical.atoms import Atom
from evalsi_pack_rl.math_equiv.canonical.budget import Unsupported
from evalsi_pack_rl.math_equiv.canonical.enclosing import sign_of
from evalsi_pack_rl.math_equiv.canonical.polynomials import UNIT, content, fields, minus
from evalsi_pack_rl.math_equiv.syntax.tree import Node

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.canonical.reading import Reader

__all__ = ["absolute", "absolute_atom"]


def absolute(reader: Reader, value: Form, node: Node) -> Form:
    """The absolute value of a form; the tree tells the sign of a constant.

    Of a complex number it is the root of the sum of two squares.
    """
    if not value.top:
        return value
    sign = sign_of(node, reader.budget)
    if sign:
        return value if sign > 0 else reader.negative(value)
    if value.bottom is not None:
        bottom = absolute(reader, Form(value.bottom), node)
        top = absolute(reader, Form(value.top, value.scale), node)
        return reader.multiply(top, reader.inverse(bottom))
    if len(value.top) > 1:
        common = content(value.top)
        primitive = {key: number // common for key, number in value.top.items()}
        if primitive[max(primitive)] < 0:
            primitive = minus(primitive)
        atom = _absolute_of(reader, Form(primitive))
        return reader.multiply(reader.number(Fraction(common, value.scale)), reader.atom(atom))
    ((monomial, number),) = value.top.items()
    product = reader.number(Fraction(abs(number), value.scale))
    for place, units in fields(monomial):
        atom = absolute_atom(reader, reader.listed[place])
        product = reader.multiply(product, reader.atom(atom, Fraction(units, UNIT)))
    return product


def absolute_atom(reader: Reader, atom: Atom) -> Atom:
    """The atom for the absolute value of an atom."""
    if atom.is_positive:
        return atom
    if atom.kind in {"i", "turn"}:
        raise Unsupported
    return _absolute_of(reader, reader.atom(atom))


def _absolute_of(reader: Reader, value: Form) -> Atom:
    key = reader.key(value)
    atom = reader.find("abs", key)
    if atom is None:
        square = reader.multiply(value, value).top
        atom = reader.add_atom("abs", key, positive=True, detail=value)
        reader.replace(atom, 2, square)
    return atom
