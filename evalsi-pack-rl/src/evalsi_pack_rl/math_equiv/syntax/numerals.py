r"""Numerals as nodes: `1,234.5`, `1e-3`, `0.\overline{3}`, `0.1666...`, digits in a base."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from evalsi_pack_rl.math_equiv.syntax.tree import Base, Node, NotParsed, Number, Power, Product

__all__ = ["based", "numeral"]

_MARKS: Final = re.compile(r"\\[,!; ]|[{},'~\s]")
_REPEATING: Final = re.compile(r"(\d*)\.(\d*)\s*(?:\\(?:overline|bar|dot)\s*\{|\()(\d+)[})]")
_DOTTED: Final = re.compile(r"(\d*)\.(\d+)(?:\.\.\.|\\[lc]?dots)")
_FAR: Final = 400
"""Powers of ten that are computed; a larger one stays a power."""


def numeral(token: str) -> Node:
    """The number that a token states: exact, unless it has a decimal point."""
    if token.isdigit():
        return Number(Fraction(int(token)))
    if "\\" in token or "(" in token or "..." in token:
        special = _repeating(token)
        if special is not None:
            return special
        token = _MARKS.sub("", token)
    token = token if token.replace(".", "", 1).isdigit() else _MARKS.sub("", token)
    mantissa, mark, exponent = token.lower().partition("e")
    whole, point, part = mantissa.partition(".")
    value = Fraction(int(whole + part or "0"), 10 ** len(part))
    if not mark:
        return Number(value, exact=not point)
    if len(exponent) <= 4 and abs(int(exponent)) <= _FAR:
        return Number(value * Fraction(10) ** int(exponent), exact=not point)
    ten = Number(Fraction(10))
    return Product((Number(value, exact=not point), Power(ten, Number(Fraction(int(exponent))))))


def _repeating(token: str) -> Number | None:
    repeating = _REPEATING.fullmatch(token)
    if repeating:
        return Number(_repeated(*repeating.groups()))
    dotted = _DOTTED.fullmatch(token)
    if dotted is None:
        return None
    whole, digits = dotted.groups()
    head, block = _block(digits)
    if block:
        return Number(_repeated(whole, head, block))
    return Number(Fraction(int(whole + digits), 10 ** len(digits)), exact=False)


def _repeated(whole: str, head: str, block: str) -> Fraction:
    nines = 10 ** len(block) - 1
    start = Fraction(int(whole + head or "0"), 10 ** len(head))
    return start + Fraction(int(block), nines * 10 ** len(head))


def _block(digits: str) -> tuple[str, str]:
    """What repeats at the end of the digits before dots: one digit, or a block written twice."""
    if len(digits) == 1:
        return "", digits
    for width in range(1, min(7, len(digits) // 2 + 1)):
        block = digits[-width:]
        if digits[-2 * width : -width] == block:
            head = digits[: -2 * width]
            while head.endswith(block):
                head = head[:-width]
            return head, block
    return digits, ""


def based(digits: str, base: str) -> Base:
    """The digits in that base.

    Raises:
        NotParsed: when the base is none from 2 to 36, or a digit is none of it.
    """
    number = int(base) if base.isdigit() and len(base) <= 2 else 0
    if not 2 <= number <= 36 or not all(
        digit.isalnum() and int(digit, 36) < number for digit in digits
    ):
        raise NotParsed("malformed")
    return Base(digits.upper(), number)
