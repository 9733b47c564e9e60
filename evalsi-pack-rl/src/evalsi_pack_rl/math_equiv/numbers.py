r"""Plain numbers as people and models write them, exactly.

`1,250`, `-0.5`, `.5`, `1e-3`, `2 \times 10^3`, `1/2`, `\frac{1}{2}`, `\frac12`, `7 1/2`, `50%`,
`0.\overline{3}`, `10 cm`, `2.5 million`. No number is rounded, and none is too long: one that no
fraction should hold is kept as its digits.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from evalsi_pack_rl.math_equiv.units import Unit, unit_of
from evalsi_pack_rl.math_equiv.verdict import Leniency

__all__ = ["Measure", "measure", "same_measure"]

Exact: TypeAlias = int | Fraction | tuple[str, str, int]
"""A value, or sign, digits and exponent of one that is too long or too far from 1."""

_LONGEST: Final = 1000

_SIMPLE: Final = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.0*)?", re.ASCII)
_DECIMAL: Final = re.compile(
    r"(?P<whole>\d{1,3}(?:[,'\u2019]\d{3})+|\d{1,3}(?: \d{3})+|\d+)?(?:\.(?P<part>\d*))?"
    r"(?:\\(?:overline|bar|dot) ?(?:\{(?P<again>\d{1,99})\}|(?P<again1>\d)))?"
    r"(?:[eE](?P<e>[-+]?\d{1,9})| ?(?:\\times|\\cdot|\u00d7|\*) ?10\^\{?(?P<ten>[-+]?\d{1,9})\}?)?",
    re.ASCII,
)
_EUROPEAN: Final = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+", re.ASCII)
_SLASHED: Final = re.compile(
    r"(?:(?P<whole>\d+) )?(?P<top>[\d,.]+) ?/ ?(?P<bottom>[-+]?[\d,.]+)", re.ASCII
)
_FRAC: Final = re.compile(
    r"(?P<whole>\d+)? ?\\frac ?(?:\{(?P<top>[^{}]+)\}|(?P<top1>\d)) ?"
    r"(?:\{(?P<bottom>[^{}]+)\}|(?P<bottom1>\d))",
    re.ASCII,
)
_BEHIND: Final = re.compile(
    r"(?<=[\d})%.])(?P<gap> ?)"
    r"(?P<unit>[A-Za-z$\u00a2\u00a3\u20ac\u00a5\u20b9/](?:[^0-9{}()^]|\^-?\d)*)\Z"
)
_BELOW: Final = re.compile(r"(?:/ ?|\\frac ?(?:\{[^{}]+\}|\d) ?)(?:\{?([\d,.]+)\}?|(\d))", re.ASCII)
_LONGEST_UNIT: Final = 120
_NO_UNIT_ENDS: Final = frozenset("0123456789}%)")
_CURRENCY: Final = re.compile(
    r"(?P<sign>[-+]?) ?(?P<mark>(?:US|HK)?\$|[\u00a3\u20ac\u00a5\u20b9]|USD|EUR|GBP|INR|Rs\.?)"
    r" ?(?=[-+\\\d.])"
)
_SEPARATORS: Final = str.maketrans("", "", ", '\u2019")
_SCALES: Final = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}


class Measure(NamedTuple):
    """A number with what stood around it.

    Attributes:
        value: the exact value; of a percentage a hundredth of what is written.
        written: the value without regard to a percent sign.
        percent: whether a percent sign followed.
        unit: the unit that followed, or the currency that went before; empty without any.
        lowest: whether it is written in lowest terms, unlike `2/4`.
    """

    value: Exact
    written: Exact
    percent: bool = False
    unit: Unit = ()
    lowest: bool = True


def same_measure(one: Measure, other: Measure, lenient: frozenset[Leniency]) -> bool:
    """Whether two measures are the same; the numbers exactly, a unit where both name one."""
    if one.unit != other.unit and ((one.unit and other.unit) or "missing-unit" not in lenient):
        return False
    if one.percent != other.percent and (one.unit or other.unit):
        return False
    if one.value == other.value:
        return (one.lowest and other.lowest) or "unevaluated" in lenient
    # A bare number beside a percentage is read as so many percent, too.
    is_lenient = one.percent != other.percent and "percent-as-number" in lenient
    return is_lenient and one.written == other.written


def measure(text: str) -> Measure | None:
    """The measure that a cleaned text states, or None when it is not a plain number."""
    if _SIMPLE.fullmatch(text):
        value = _whole(text)
        return Measure(value, value)
    marked = _CURRENCY.match(text)
    number = marked["sign"] + text[marked.end() :] if marked else text
    number, power, unit = _parted(number)
    if unit is None:
        return None
    percent = number.endswith("%")
    if percent and unit:  # `5 % comment`: LaTeX would hide the rest
        return None
    if marked:
        unit = (*(unit_of(marked["mark"], spaced=True) or ()), *unit)
    number = number.removesuffix("%").rstrip()
    written = _signed(number, power)
    if written is None:
        return None
    hundredth = _signed(number, power - 2) if percent else written
    if hundredth is None:
        return None
    return Measure(hundredth, written, percent, unit, _is_lowest(text, written))


def _is_lowest(text: str, value: Exact) -> bool:
    """Whether a fraction is written with the denominator that it has, and needs one."""
    parts = _BELOW.search(text)
    if parts is None:
        return True
    bottom = _signed(parts[1] or parts[2], 0)
    return isinstance(value, Fraction) and bottom == value.denominator > 1


def _parted(text: str) -> tuple[str, int, Unit | None]:
    """A number, the power of ten that a word gives it, and its unit: None for what is none."""
    if text[-1:] in _NO_UNIT_ENDS and "^" not in text[-3:]:
        return text, 0, ()
    behind = _BEHIND.search(text, max(0, len(text) - _LONGEST_UNIT))
    if behind is None:
        return text, 0, ()
    scale, _, rest = behind["unit"].partition(" ")
    power = _SCALES.get(scale.casefold(), 0) if behind["gap"] else 0
    unit = rest if power else behind["unit"]
    return text[: behind.start()], power, unit_of(unit, spaced=bool(behind["gap"])) if unit else ()


def _whole(text: str) -> Exact:
    digits = text.partition(".")[0].replace(",", "")
    if len(digits) <= _LONGEST:
        return int(digits)
    value = _exact(digits.lstrip("+-"), 0)
    return _negative(value) if digits[0] == "-" else value


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
    if isinstance(value, tuple):
        return ("" if value[0] else "-", *value[1:])
    return -value


def _decimal(text: str, power: int) -> Exact | None:
    if _EUROPEAN.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    parts = _DECIMAL.fullmatch(text)
    if parts is None or not (parts["whole"] or parts["part"]):
        return None
    whole = (parts["whole"] or "").translate(_SEPARATORS)
    part = parts["part"] or ""
    again = parts["again"] or parts["again1"]
    exponent = int(parts["e"] or parts["ten"] or 0) - len(part) + power
    if again:
        return _repeating(whole + part, again, exponent) if parts["part"] is not None else None
    return _exact(whole + part, exponent)


def _repeating(digits: str, again: str, exponent: int) -> Exact | None:
    if len(digits) > _LONGEST or abs(exponent) > _LONGEST:
        return None
    value = int(digits or "0") + Fraction(int(again), 10 ** len(again) - 1)
    return value * Fraction(10) ** exponent


def _exact(digits: str, exponent: int) -> Exact:
    digits = digits.lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return 0
    exponent += len(digits) - len(significant)
    if len(significant) > _LONGEST or abs(exponent) > _LONGEST:
        return ("", significant, exponent)
    if exponent >= 0:
        return int(significant + "0" * exponent)
    return Fraction(int(significant), 10**-exponent)


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
    value = Fraction(top) / bottom + whole
    return value * Fraction(10) ** power if power else value


def _short(text: str | None) -> int | Fraction | None:
    if text is None:
        return None
    if text.isdecimal() and text.isascii() and len(text) <= _LONGEST:
        return int(text)
    value = _signed(text.strip(), 0)
    return None if isinstance(value, tuple) else value
