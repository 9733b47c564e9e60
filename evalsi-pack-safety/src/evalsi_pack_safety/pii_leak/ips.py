"""IP addresses that somebody may have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

__all__ = ["ips_in"]

_FOUR: Final = re.compile(
    r"(?:(?<![\w.:/+-])|(?<=//))\d{1,3}(?:\.\d{1,3}){3}(?!\.?\w|-\d|/\d)", re.ASCII
)
_SIX: Final = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{6,39}(?![\w:])", re.ASCII)
_VERSION: Final = re.compile(
    r"(?:\bv|version|release|firmware|build|driver|sections?|chapter|clause|article|\u00a7|==|>=)\W{0,3}$",
    re.IGNORECASE,
)
_CUE: Final = re.compile(
    r"\bip\b|ipv4|address|\bhost\b|server|\bfrom\b|ping|ssh|://", re.IGNORECASE
)
_BEFORE: Final = 24
_SIX_GROUPS: Final = 4

_KNOWN: Final = frozenset(
    {"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "149.112.112.112", "1.2.3.4"}
    | {"208.67.222.222", "208.67.220.220", "2001:4860:4860::8888", "2001:4860:4860::8844"}
    | {"2606:4700:4700::1111", "2606:4700:4700::1001"}
)
"""Public resolvers, and what everyone writes for an example."""


def ips_in(text: str) -> Iterator[tuple[int, str]]:
    """Every address of the public internet and where it begins.

    Private, reserved and documentation ranges are nobody's. Four small numbers may be a version
    or a section, unless a word such as "IP" stands before them.
    """
    for found in _FOUR.finditer(text):
        before = text[max(0, found.start() - _BEFORE) : found.start()]
        if _is_public(found[0]) and not _VERSION.search(before):
            small = max(map(int, found[0].split("."))) < 32
            if not small or _CUE.search(before):
                yield found.start(), found[0]
    for found in _SIX.finditer(text):
        groups = sum(map(bool, found[0].split(":")))
        if groups >= _SIX_GROUPS and _is_public(found[0]):
            yield found.start(), found[0]


def _is_public(written: str) -> bool:
    try:
        address = ip_address(written)
    except ValueError:
        return False
    return address.is_global and not address.is_multicast and written.lower() not in _KNOWN
