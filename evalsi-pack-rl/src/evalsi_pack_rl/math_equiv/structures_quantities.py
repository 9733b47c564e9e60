"""Values with a unit, a percent sign or a base behind them.

A unit that only one side names is let by, a different one is not. A percentage is its hundredth,
and as lenient also what is written. Digits in a base have the value they have there.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.syntax.tree import Base, Node, Number, Product, Quantity
from evalsi_pack_rl.math_equiv.units import Unit, unit_of
from evalsi_pack_rl.math_equiv.verdict import Decision

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.structures import Structures

__all__ = ["based_rule", "quantity_rule"]

_HUNDREDTH: Final = Number(Fraction(1, 100))
_PERCENT: Final[Unit] = (("%", 1),)
_MODULUS: Final = re.compile(r"\(?mod [\w^+*-]{1,40}\)?")


def quantity_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    """Compares values with their units; None when neither has one."""
    if not isinstance(one, Quantity):
        if not isinstance(other, Quantity):
            return None
        one, other = other, one
    unit = _unit(one.unit)
    if isinstance(other, Quantity):
        same = one.unit == other.unit or (unit is not None and unit == _unit(other.unit))
        return judge.same(one.value, other.value) if same else "no"
    if isinstance(one.value, Quantity):
        return "no"
    if unit == _PERCENT:
        return _percent(judge, one.value, other)
    if unit is None or "missing-unit" not in judge.lenient:
        return "no"
    return judge.same(one.value, other)


def _percent(judge: Structures, value: Node, other: Node) -> Decision:
    if isinstance(value, Number):
        hundredth: Node = Number(value.value / 100, value.exact)
    else:
        hundredth = Product((_HUNDREDTH, value))
    if "percent-as-number" not in judge.lenient:
        return judge.same(hundredth, other)
    return judge.either(lambda: judge.same(hundredth, other), lambda: judge.same(value, other))


def _unit(text: str) -> Unit | None:
    """The unit; None for words that are none, such as `or so`."""
    if text in {"%", "percent"} or text.startswith(("% of ", "% per ")):
        return _PERCENT
    if _MODULUS.fullmatch(text):
        return ((text, 1),)
    return unit_of(text.replace("{", "").replace("}", ""), spaced=True)


def based_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    """Compares digits in a base with others, or with a number; None when neither has a base."""
    if not isinstance(one, Base):
        if not isinstance(other, Base):
            return None
        one, other = other, one
    if isinstance(other, Base):
        return "yes" if _value(one) == _value(other) else "no"
    if not isinstance(other, Number):
        return judge.same(Number(Fraction(_value(one))), other)
    if other.value == _value(one):
        return "yes"
    written = one.digits.isdecimal() and other.value == int(one.digits)
    return "yes" if written and "missing-base" in judge.lenient else "no"


def _value(based: Base) -> int:
    return int(based.digits, based.base)
