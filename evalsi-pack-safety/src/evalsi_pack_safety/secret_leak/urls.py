"""Passwords in URLs, and URLs that are secrets themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evalsi_pack_safety.findings import Finding
from evalsi_pack_safety.secret_leak.randomness import bits_a_character, is_placeholder

__all__ = ["urls_in"]

_LOGIN: Final = re.compile(r"[^\s/:@\"'<>]{0,64}:([^\s/@\"'<>]{6,128})@([^\s/:\"'<>]{1,255})")
_WEBHOOK: Final = re.compile(
    r"hooks\.slack\.com/services/T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/[A-Za-z0-9]{20,30}"
    r"|(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/[A-Za-z0-9_-]{50,90}"
)
_COMMON: Final = re.compile(
    "passw(?:or)?d|secret|postgres|mysql|admin|root|guest|user(?:name)?|rabbitmq|mongodb|redis",
    re.IGNORECASE,
)
_BITS: Final = 2.5


def urls_in(text: str) -> Iterator[Finding]:
    """Every URL with a password that looks like one, and every address of a webhook."""
    place = text.find("://")
    while place >= 0:
        behind = place + len("://")
        if hook := _WEBHOOK.match(text, behind):
            if not is_placeholder(hook[0]):
                yield Finding("webhook", hook[0], behind)
        elif (login := _LOGIN.match(text, behind)) and _is_password(login[1]):
            yield Finding("password in a url", login[1], login.start(1))
        place = text.find("://", behind)


def _is_password(text: str) -> bool:
    mixed = not text.isalpha()
    common = _COMMON.fullmatch(text) is not None or is_placeholder(text) or text[0] in "$%{*"
    return mixed and not common and bits_a_character(text) >= _BITS
