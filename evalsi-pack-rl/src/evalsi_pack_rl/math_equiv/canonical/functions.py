"""Calls to forms: each function with the laws that hold for real numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.canonical import angles
from evalsi_pack_rl.math_equiv.canonical.algebra import ONE, Form
from evalsi_pack_rl.math_equiv.canonical.atoms import Atom
from evalsi_pack_rl.math_equiv.canonical.budget import Unsupported
from evalsi_pack_rl.math_equiv.canonical.degrees import radians
from evalsi_pack_rl.math_equiv.canonical.enclosing import whole_of
from evalsi_pack_rl.math_equiv.canonical.exact import rational
from evalsi_pack_rl.math_equiv.canonical.exponentials import exponential, logarithm
from evalsi_pack_rl.math_equiv.canonical.polynomials import Polynomial, fields
from evalsi_pack_rl.math_equiv.canonical.roots import rational_power
from evalsi_pack_rl.math_equiv.canonical.series import series
from evalsi_pack_rl.math_equiv.canonical.signs import absolute
from evalsi_pack_rl.math_equiv.syntax.tree import Call, Node

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.canonical.reading import Reader

__all__ = ["read"]

_MOST_SHIFT: Final = 20


def read(reader: Reader, node: Call) -> Form:
    """The form of a function's value; of an unknown function, an atom."""
    value = rational(node, reader.budget)
    if value is not None:
        return reader.number(value)
    reading = _READERS.get(node.name)
    return reading(reader, node) if reading is not None else _opaque(reader, node)


def _opaque(reader: Reader, node: Call) -> Form:
    arguments = [_real(reader, argument) for argument in node.arguments]
    key = tuple(reader.key(argument) for argument in arguments)
    return reader.atom(reader.add_atom(f"call {node.name}", key))


def _real(reader: Reader, node: Node) -> Form:
    """A form that may stand for a real number only: the rules for atoms are for real ones."""
    value = reader.read(node)
    if reader.is_complex(value):
        raise Unsupported
    return value


def _trigonometric(reader: Reader, node: Call) -> Form:
    angle = _real(reader, radians(node.arguments[0]))
    sine, cosine = angles.sine_and_cosine(reader, angle)
    if node.name in {"sin", "cos"}:
        return sine if node.name == "sin" else cosine
    if node.name in {"tan", "sec"}:
        return reader.multiply(sine if node.name == "tan" else ONE, reader.inverse(cosine))
    return reader.multiply(cosine if node.name == "cot" else ONE, reader.inverse(sine))


def _hyperbolic(reader: Reader, node: Call) -> Form:
    growing = exponential(reader, reader.read(node.arguments[0]))
    falling = reader.inverse(growing)
    sine = reader.add(growing, reader.negative(falling))
    cosine = reader.add(growing, falling)
    half = reader.number(Fraction(1, 2))
    if node.name in {"sinh", "cosh"}:
        return reader.multiply(half, sine if node.name == "sinh" else cosine)
    if node.name in {"tanh", "coth"}:
        one, other = (sine, cosine) if node.name == "tanh" else (cosine, sine)
        return reader.multiply(one, reader.inverse(other))
    bottom = cosine if node.name == "sech" else sine
    return reader.multiply(reader.number(2), reader.inverse(bottom))


def _arc(reader: Reader, node: Call) -> Form:
    return angles.arc(reader, node.name, _real(reader, node.arguments[0]))


def _logarithm(reader: Reader, node: Call) -> Form:
    value = logarithm(reader, reader.read(node.arguments[0]))
    if node.name == "ln":
        return value
    base = reader.read(node.arguments[1]) if len(node.arguments) > 1 else reader.number(10)
    return reader.multiply(value, reader.inverse(logarithm(reader, base)))


def _absolute(reader: Reader, node: Call) -> Form:
    value = reader.read(node.arguments[0])
    unit = reader.find("i", None)
    if unit is None or value.bottom is not None:
        return absolute(reader, value, node.arguments[0])
    return _modulus(reader, value, unit, node.arguments[0])


def _modulus(reader: Reader, value: Form, unit: Atom, node: Node) -> Form:
    """The absolute value of a complex number: the root of the sum of two squares."""
    real: Polynomial = {}
    imaginary: Polynomial = {}
    for monomial, number in value.top.items():
        if any(place == unit.place for place, _ in fields(monomial)):
            imaginary[monomial - unit.unit] = number
        else:
            real[monomial] = number
    if not imaginary:
        return absolute(reader, value, node)
    if any(atom.kind == "turn" for atom in reader.listed):
        raise Unsupported
    squares = [reader.whole_power(Form(part, value.scale), 2) for part in (real, imaginary) if part]
    total = reader.add(squares[0], squares[1]) if len(squares) > 1 else squares[0]
    return rational_power(reader, total, Fraction(1, 2), Call("abs", (node,)))


def _rounded(reader: Reader, node: Call) -> Form:
    whole = whole_of(node, reader.budget)
    return _opaque(reader, node) if whole is None else reader.number(whole)


def _series(reader: Reader, node: Call) -> Form:
    value = series(reader, node)
    return _opaque(reader, node) if value is None else value


def _factorial(reader: Reader, node: Call) -> Form:
    return _factorial_of(reader, reader.read(node.arguments[0]))


def _factorial_of(reader: Reader, value: Form) -> Form:
    """`(n + 2)!` as `(n + 2)(n + 1) n!`."""
    whole = value.top.get(0, 0) // value.scale if value.bottom is None else 0
    if value.constant() is not None or abs(whole) > _MOST_SHIFT:
        whole = 0
    base = reader.add(value, reader.number(-whole))
    product = reader.atom(reader.add_atom("factorial", reader.key(base)))
    for step in range(1, abs(whole) + 1):
        shift = step if whole > 0 else 1 - step
        factor = reader.add(base, reader.number(shift))
        product = reader.multiply(product, factor if whole > 0 else reader.inverse(factor))
    return product


def _binomial(reader: Reader, node: Call) -> Form:
    top, bottom = (reader.read(argument) for argument in node.arguments)
    count = bottom.constant()
    if count is None:
        rest = reader.add(top, reader.negative(bottom))
        below = reader.multiply(_factorial_of(reader, bottom), _factorial_of(reader, rest))
        return reader.multiply(_factorial_of(reader, top), reader.inverse(below))
    if count.denominator != 1 or not 0 <= count <= _MOST_SHIFT:
        raise Unsupported
    product = ONE
    for step in range(int(count)):
        factor = reader.add(top, reader.number(-step))
        factor = reader.multiply(factor, reader.number(Fraction(1, step + 1)))
        product = reader.multiply(product, factor)
    return product


_READERS: Final[dict[str, Callable[[Reader, Call], Form]]] = {
    **dict.fromkeys(("sin", "cos", "tan", "cot", "sec", "csc"), _trigonometric),
    **dict.fromkeys(("sinh", "cosh", "tanh", "coth", "sech", "csch"), _hyperbolic),
    **dict.fromkeys(("arcsin", "arccos", "arctan"), _arc),
    **dict.fromkeys(("ln", "log"), _logarithm),
    **dict.fromkeys(("floor", "ceil"), _rounded),
    **dict.fromkeys(("sum", "prod"), _series),
    "abs": _absolute,
    "factorial": _factorial,
    "binomial": _binomial,
}
