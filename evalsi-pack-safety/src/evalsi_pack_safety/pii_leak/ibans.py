"""International bank account numbers: a country's length, and the checksum."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["ibans_in"]

_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d\d(?: ?[A-Z0-9]){11,30}", re.ASCII)

_LENGTHS: Final = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}


def ibans_in(text: str) -> Iterator[tuple[int, str]]:
    """Every account number and where it begins."""
    for found in _NUMBER.finditer(text):
        length = _LENGTHS.get(found[0][:2])
        number = found[0].replace(" ", "")
        behind = number[length : length + 1] if length else ""
        if length and len(number) >= length and _checks(number[:length]):
            written = _written(found[0], length)
            whole = not behind or found[0][len(written)] == " "
            if whole:
                yield found.start(), written


def _written(found: str, length: int) -> str:
    """The part of what was found that holds the number's letters and digits."""
    left = length
    for place, mark in enumerate(found):
        left -= mark != " "
        if not left:
            return found[: place + 1]
    return found


def _checks(number: str) -> bool:
    turned = number[4:] + number[:4]
    return int("".join(str(int(mark, 36)) for mark in turned)) % 97 == 1
