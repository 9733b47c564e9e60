"""Phone numbers that are written as such."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["phones_in"]

# Bounded, and begun only where no word or number goes on: linear in the text.
_NUMBER: Final = re.compile(
    r"(?<![\w.+/=@-])(?:\+|\(\+?)?\d[\d ().\u2011/-]{5,20}\d(?![\w]|[.-]\d)"
)
_NORTH_AMERICA: Final = re.compile(
    r"(?:1[- ]?)?\([2-9]\d\d\) ?[2-9]\d\d[-. ]\d{4}"
    r"|(?:1[- ])?[2-9]\d\d([- ])[2-9]\d\d\1\d{4}|(?:1\.)?[2-9]\d\d\.[2-9]\d\d\.\d{4}"
)
_BRITISH_MOBILE: Final = re.compile(r"07\d{3} \d{3} ?\d{3}")
_OTHER: Final = re.compile(
    r"\d+\.\d+|\d{4}[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4}"
)
_CUE: Final = re.compile(
    r"phone|\btel\b|\btel[.:]|mobile|\bcell\b|\bcall\b|\bfax\b|whatsapp|\bsms\b|\bdial\b"
    r"|\b(?:my|his|her|their|your) number|\btext (?:me|us|her|him)\b|telefon|t\u00e9l\u00e9phone"
    r"|\bhandy\b|m\u00f3vil|tel\u00e9fono"
    r"|cellulare|telem\u00f3vel|celular|\u7535\u8bdd|\u96fb\u8a71"
    r"|\u0442\u0435\u043b\u0435\u0444\u043e\u043d",
    re.IGNORECASE,
)
_CUE_CHARACTERS: Final = 32

_FREE: Final = frozenset({"800", "822", "833", "844", "855", "866", "877", "888", "900"})
"""Codes of service numbers in North America: helplines, not persons."""

_CODE: Final = re.compile(
    "1|7|2[07]|3[0-46]|39|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]"
    r"|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[58]|9[679])\d"
)
"""The codes of countries."""


def phones_in(text: str) -> Iterator[tuple[int, str]]:
    """Every phone number and where it begins.

    One with a country code, one in the form of North America, or one behind a word such as
    "phone". Free service numbers are nobody's.
    """
    for found in _NUMBER.finditer(text):
        written = found[0]
        digits = "".join(filter(str.isdecimal, written))
        if _is_phone(written, digits) or _is_called_phone(text, found.start(), written, digits):
            yield found.start(), written


def _is_phone(written: str, digits: str) -> bool:
    if "+" in written:
        return 9 <= len(digits) <= 15 and _is_international(written, digits)
    if _NORTH_AMERICA.fullmatch(written):
        return digits[-10:-7] not in _FREE
    return _BRITISH_MOBILE.fullmatch(written) is not None


def _is_international(written: str, digits: str) -> bool:
    """Whether it begins with a country's code, and is no decimal fraction and no date."""
    code = _CODE.match(digits)
    other = re.fullmatch(r"\+\d+[./]\d", written) or re.match(r"\+\d{4}-\d\d-\d\d", written)
    return code is not None and other is None and not _is_free(digits)


def _is_called_phone(text: str, start: int, written: str, digits: str) -> bool:
    if not 7 <= len(digits) <= 15 or _OTHER.fullmatch(written) or _is_free(digits):
        return False
    return _CUE.search(text[max(0, start - _CUE_CHARACTERS) : start]) is not None


def _is_free(digits: str) -> bool:
    north_america = digits.removeprefix("1")
    if len(north_america) == 10 and north_america[:3] in _FREE:
        return True
    return digits.startswith(("0800", "44800", "49800", "33800", "00800", "1800"))
