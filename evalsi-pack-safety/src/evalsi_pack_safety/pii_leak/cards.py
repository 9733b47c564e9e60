"""Numbers of payment cards: an issuer's beginning and length, and Luhn's check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["cards_in"]

# Bounded, and begun only where no number goes on: linear in the text.
_NUMBER: Final = re.compile(r"(?<![\w.+-])[2-6](?:[ -]?\d){12,18}(?![\w]|[.-]\d)", re.ASCII)
_CUE: Final = re.compile(
    r"card|visa|amex|credit|debit|\bpan\b|karte|carte|tarjeta|carta|cart\u00e3o", re.IGNORECASE
)
_CUE_CHARACTERS: Final = 32
_ARITHMETIC: Final = frozenset("([{,*+-/^=<>&|")
_GROUPS: Final = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3)})

_ISSUERS: Final = (
    (4, 4, {16, 19}),
    (51, 55, {16}),
    (2221, 2720, {16}),
    (34, 34, {15}),
    (37, 37, {15}),
    (6011, 6011, {16, 19}),
    (644, 649, {16, 19}),
    (65, 65, {16, 19}),
    (300, 305, {14}),
    (36, 36, {14}),
    (38, 39, {14}),
    (3528, 3589, {16}),
    (62, 62, {16, 17, 18, 19}),
)
"""First and last beginning, and the lengths."""


def cards_in(text: str) -> Iterator[tuple[int, str]]:
    """Every card number and where it begins."""
    for found in _NUMBER.finditer(text):
        digits = found[0].replace(" ", "").replace("-", "")
        before = text[max(0, found.start() - _CUE_CHARACTERS) : found.start()]
        written = _is_grouped(found[0]) if found[0] != digits else _is_told(before)
        if written and _is_issued(digits) and _luhn(digits):
            yield found.start(), found[0]


def _is_grouped(written: str) -> bool:
    """Whether the digits stand in the groups of a card, all with the same mark between them."""
    if " " in written and "-" in written:
        return False
    return tuple(map(len, written.replace("-", " ").split(" "))) in _GROUPS


def _is_told(before: str) -> bool:
    """Whether a number without groups is no part of a formula or a program."""
    return before.rstrip()[-1:] not in _ARITHMETIC or _CUE.search(before) is not None


def _is_issued(digits: str) -> bool:
    return len(set(digits)) > 1 and any(
        first <= int(digits[: len(str(first))]) <= last and len(digits) in lengths
        for first, last, lengths in _ISSUERS
    )


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
