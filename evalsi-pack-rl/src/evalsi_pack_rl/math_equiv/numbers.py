r"""Plain numbers as people and models write them, exactly.

`1,250`, `-0.5`, `.5`, `1e-3`, `2 \times 10^3`, `1/2`, `\frac{1}{2}`, `\frac12`, `7 1/2`, `50%`,
`10 cm`, `2.5 million`. No number is rounded, and none is too long: one that no fraction should
hold is kept as its digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from evalsi_pack_rl.math_equiv.units import Unit, unit_of

__all__ = ["Quantity", "quantity"]

Exact: TypeAlias = Fraction | tuple[str, str, int]
"""A value, or sign, digits and exponent of one that is too long or too far from 1."""

_LONGEST: Final = 1000

_DECIMAL_TEXT: Final = (
    r"(?P<whole>\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d+)?(?:\.(?P<part>\d*))?"
    r"(?:[eE](?P<e>[-+]?\d{1,9})| ?(?:\\times|\\cdot|\u00d7|\*) ?10\^\{?(?P<ten>[-+]?\d{1,9})\}?)?"
)
_DECIMAL: Final = re.compile(_DECIMAL_TEXT, re.ASCII)
_SLASHED: Final = re.compile(
    r"(?:(?P<whole>\d+) )?(?P<top>[\d,.]+) ?/ ?(?P<bottom>[-+]?[\d,.]+)", re.ASCII
)
_FRAC: Final = re.compile(
    r"(?P<whole>\d+)? ?\\frac ?(?:\{(?P<top>[^{}]+)\}|(?P<top1>\d)) ?"
    r"(?:\{(?P<bottom>[^{}]+)\}|(?P<bottom1>\d))",
    re.ASCII,
)
_BEHIND: Final = re.compile(
    r"(?<=[\d})%.])(?P<gap> ?)(?P<unit>[A-Za-z$\u00a3\u20ac\u00a5/](?:[^0-9{}()^]|\^-?\d)*)\Z"
)
_LONGEST_UNIT: Final = 120
_CURRENCY: Final = re.compile(r"(?P<sign>[-+]?) ?(?P<mark>[$\u00a3\u20ac\u00a5]) ?(?=[-+\\\d.])")
_SCALES: Final = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what stood around it.

    Attributes:
        value: the exact value; of a percentage a hundredth of what is written.
        written: the value without regard to a percent sign.
        percent: whether a percent sign followed.
        unit: the unit that followed, or the currency that went before; empty without any.
    """

    value: Exact
    written: Exact
    percent: bool = False
    unit: Unit = ()


def quantity(text: str) -> Quantity | None:
    """The quantity that a cleaned text states, or None when it is not a plain number."""
    marked = _CURRENCY.match(text)
    number = marked["sign"] + text[marked.end() :] if marked else text
    number, power, unit = _parted(number)
    if unit is None:
        return None
    if marked:
        unit = (*(unit_of(marked["mark"], spaced=True) or ()), *unit)
    percent = number.endswith("%")
    number = number.removesuffix("%").rstrip()
    written = _signed(number, power)
    value = _signed(number, power - 2) if percent else written
    return None if written is None or value is None else Quantity(value, written, percent, unit)


def _parted(text: str) -> tuple[str, int, Unit | None]:
    """A number, the power of ten that a word gives it, and its unit: None for what is none."""
    behind = _BEHIND.search(text, max(0, len(text) - _LONGEST_UNIT))
    if behind is None:
        return text, 0, ()
    scale, _, rest = behind["unit"].partition(" ")
    power = _SCALES.get(scale.casefold(), 0) if behind["gap"] else 0
    unit = rest if power else behind["unit"]
    return text[: behind.start()], power, unit_of(unit, spaced=bool(behind["gap"])) if unit else ()


def _signed(text: str, power: int) -> Exact | None:
    if text.startswith("(") and text.endswith(")") and "," not in text:
        text = text[1:-1].strip()
    sign = text[:1] if text[:1] in {"-", "+"} else ""
    body = text[len(sign) :].strip()
    value = _decimal(body, power)
    if value is None:
        value = _fraction(body, power)
    return _negative(value) if sign == "-" and value is not None else value


def _negative(value: Exact) -> Exact:
    if isinstance(value, Fraction):
        return -value
    return ("" if value[0] else "-", *value[1:])


def _decimal(text: str, power: int) -> Exact | None:
    parts = _DECIMAL.fullmatch(text)
    if parts is None or not (parts["whole"] or parts["part"]):
        return None
    whole = (parts["whole"] or "").replace(",", "").replace(" ", "")
    part = parts["part"] or ""
    return _exact(whole + part, int(parts["e"] or parts["ten"] or 0) - len(part) + power)


def _exact(digits: str, exponent: int) -> Exact:
    digits = digits.lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return Fraction(0)
    exponent += len(digits) - len(significant)
    if len(significant) > _LONGEST or abs(exponent) > _LONGEST:
        return ("", significant, exponent)
    return Fraction(int(significant)) * Fraction(10) ** exponent


def _fraction(text: str, power: int) -> Exact | None:
    parts = _SLASHED.fullmatch(text) or _FRAC.fullmatch(text)
    if parts is None:
        return None
    found = parts.groupdict()
    top = _short(found["top"] or found.get("top1"))
    bottom = _short(found["bottom"] or found.get("bottom1"))
    whole = _short(found["whole"] or "0")
    if top is None or whole is None or not bottom:
        return None
    if found["whole"] and (top < 0 or bottom < 0):  # a product as likely as a mixed number
        return None
    return (whole + top / bottom) * Fraction(10) ** power


def _short(text: str | None) -> Fraction | None:
    value = _signed(text.strip(), 0) if text else None
    return value if isinstance(value, Fraction) else None
