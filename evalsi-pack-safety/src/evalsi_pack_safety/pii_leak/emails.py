"""E-mail addresses of persons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["emails_in"]

_LOCAL: Final = re.compile(r"[\w.%+-]{1,65}", re.ASCII)
_DOMAIN: Final = re.compile(r"[A-Za-z0-9.-]{4,255}")
_OBSCURED: Final = re.compile(r" ?(?:\[at\]|\(at\)|\{at\}) ?", re.IGNORECASE)
_OBSCURED_DOT: Final = re.compile(r" ?(?:\[dot\]|\(dot\)|\{dot\}) ?", re.IGNORECASE)
_LABEL: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")

_NOBODY: Final = re.compile(
    "abuse|admin|billing|careers|contact|feedback|git|hello|help|helpdesk|hr|info|inquiries|jobs|"
    "mail|mailer-daemon|marketing|media|newsletter|no-?reply|office|postmaster|press|privacy|root|"
    "sales|security|service|support|team|webmaster",
    re.IGNORECASE,
)
"""Mailboxes of an office, not of a person."""

_RESERVED: Final = ("example.com", "example.net", "example.org")
_NO_DOMAIN: Final = frozenset({"example", "invalid", "localhost", "test", "local", "internal"})
_FILES: Final = re.compile(
    "png|jpe?g|gif|svg|webp|ico|css|js|ts|py|rb|json|xml|html?|txt|md|pdf|zip|gz|tar"
)
"""Endings of files, as in icon@2x.png; none is a country's or a common domain."""


def emails_in(text: str) -> Iterator[tuple[int | None, str]]:
    """Every address and where it begins; None where its marks are spelled as [at] and [dot]."""
    yield from _plain_in(text)
    if _OBSCURED.search(text):
        clear = _OBSCURED_DOT.sub(".", _OBSCURED.sub("@", text))
        known = {address for _, address in _plain_in(text)}
        yield from ((None, address) for _, address in _plain_in(clear) if address not in known)


def _plain_in(text: str) -> Iterator[tuple[int, str]]:
    at = text.find("@")
    while at >= 0:
        local = _LOCAL.match(text[max(0, at - 65) : at][::-1])  # backwards from the mark
        domain = _DOMAIN.match(text, at + 1)
        if local and domain:
            name, host = local[0][::-1], domain[0].rstrip(".-")
            start = at - len(name)
            if _is_local(name) and _is_host(host) and not _in_address(text, start, at, host):
                yield start, f"{name}@{host}"
        at = text.find("@", at + 1)


def _is_local(name: str) -> bool:
    sound = not name.startswith(".") and not name.endswith(".") and ".." not in name
    return sound and len(name) <= 64 and not _NOBODY.fullmatch(name)


def _is_host(host: str) -> bool:
    labels = host.casefold().split(".")
    top = labels[-1]
    if len(labels) < 2 or not (2 <= len(top) <= 24 and top.isalpha()):
        return False
    if top in _NO_DOMAIN or _FILES.fullmatch(top) or host.casefold().endswith(_RESERVED):
        return False
    return all(_LABEL.fullmatch(label) for label in labels)


def _in_address(text: str, start: int, at: int, host: str) -> bool:
    """Whether it is the user of a URL, or of a repository as in user@host.com:path."""
    behind = at + 1 + len(host)
    return "://" in text[max(0, start - 40) : start].rpartition(" ")[2] or (
        text[behind : behind + 1] == ":" and text[behind + 1 : behind + 2].isalnum()
    )
