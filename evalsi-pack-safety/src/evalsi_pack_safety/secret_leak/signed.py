"""Tokens in several parts: signed web tokens, and those of bots and mailers."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from evalsi_pack_safety.findings import Finding
from evalsi_pack_safety.secret_leak.randomness import bits_a_character, is_placeholder

__all__ = ["signed_in"]

_RUN: Final = re.compile(r"[A-Za-z0-9_.:-]+")
_BITS: Final = 3.0


def signed_in(text: str) -> Iterator[Finding]:
    """Every token of several parts that is whole."""
    for run in _RUN.finditer(text):
        written = run[0].strip(".:-")
        if len(written) >= 40 and (kind := _kind(written)):
            yield Finding(kind, written, run.start())


def _kind(run: str) -> str | None:
    parts = run.split(".")
    if len(parts) == 3 and run.startswith("eyJ"):
        return "json web token" if _is_web_token(*parts) else None
    if len(parts) == 3 and run.startswith("SG."):
        return "sendgrid key" if list(map(len, parts[1:])) == [22, 43] and _random(run) else None
    if len(parts) == 2 and run.startswith("hvs."):
        return "vault token" if _random(run) else None
    number, colon, rest = run.partition(":")
    if colon and number.isdecimal() and 8 <= len(number) <= 10 and len(rest) == 35:
        return "telegram token" if rest.startswith("AA") and _random(rest) else None
    return None


def _is_web_token(header: str, claims: str, signature: str) -> bool:
    """A header that names its algorithm, claims, and a signature; the unsigned are no secret."""
    if len(signature) < 20 or not claims.startswith("eyJ") or len(header) > 2000:
        return False
    try:
        decoded = base64.urlsafe_b64decode(header + "=" * (-len(header) % 4))
    except (binascii.Error, ValueError):
        return False
    return b'"alg"' in decoded and bits_a_character(signature[:200]) >= _BITS


def _random(run: str) -> bool:
    return bits_a_character(run[:200]) >= _BITS and not is_placeholder(run)
