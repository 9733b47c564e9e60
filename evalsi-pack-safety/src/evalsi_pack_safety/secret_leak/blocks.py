"""Private keys as blocks of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evalsi_pack_safety.findings import Finding
from evalsi_pack_safety.secret_leak.randomness import bits_a_character

__all__ = ["blocks_in"]

_BEGIN: Final = "-----BEGIN "
_HEAD: Final = re.compile(r"(?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----")
_BODY: Final = re.compile(r"[A-Za-z0-9+/=\s\\]{0,4096}")
_LEAST: Final = 48
_BITS: Final = 4.0


def blocks_in(text: str) -> Iterator[Finding]:
    """Every private key whose first lines are there, with or without its end."""
    start = text.find(_BEGIN)
    while start >= 0:
        head = _HEAD.match(text, start + len(_BEGIN))
        if head and _is_key(text, head.end()):
            yield Finding("private key", text[start : head.end()], start)
        start = text.find(_BEGIN, start + len(_BEGIN))


def _is_key(text: str, place: int) -> bool:
    # Headers such as "Proc-Type: 4,ENCRYPTED" come before an empty line.
    blank = text.find("\n\n", place, place + 300)
    headed = blank >= 0 and ":" in text[place:blank]
    body = _BODY.match(text, blank if headed else place)
    letters = "".join(body[0].replace("\\n", "").split()) if body else ""
    return len(letters) >= _LEAST and bits_a_character(letters[:400]) >= _BITS
