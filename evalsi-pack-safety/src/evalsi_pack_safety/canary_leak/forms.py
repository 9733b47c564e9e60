"""The forms of a string: as it is, split up, backwards, turned by 13, Base64, hexadecimal.

A completion is brought into each form once, a canary too; what is left is to look for one in the
other.
"""

from __future__ import annotations

import base64
import codecs
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import unquote

__all__ = ["Forms", "Heard"]

_LONG_ENOUGH: Final = 8
"""Letters and digits that a canary must have for its hidden forms to be more than chance."""

_PERCENT: Final = re.compile("%[0-9A-Fa-f]{2}")
_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/_-]+")
_NOT_LETTERS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Forms:
    """A canary in its forms; `letters` and what is made of it are empty when it is too short."""

    plain: str
    letters: str
    backwards: str
    turned: str
    hexadecimal: str
    base64: tuple[str, ...]

    @classmethod
    def of(cls, canary: str) -> Forms:
        """The forms of a canary."""
        letters = _letters(canary)
        raw = canary.encode("utf-8", "surrogatepass")
        if len(letters) < _LONG_ENOUGH:
            return cls(_plain(canary), "", "", "", "", ())
        turned = codecs.encode(letters, "rot13")
        return cls(_plain(canary), letters, letters[::-1], turned, raw.hex(), _base64(raw))


class Heard:
    """A completion, brought into a form when it is first asked for."""

    def __init__(self, text: str, *, encoded: bool) -> None:
        self._text = text
        self._encoded = encoded

    def form_of(self, canary: Forms) -> str | None:
        """The form in which the completion holds a canary, or None."""
        if canary.plain in self._plain:
            return "plain"
        if not self._encoded or not canary.letters:
            return None
        if canary.plain in self._unquoted:
            return "percent"
        for form, part in (
            ("split", canary.letters),
            ("backwards", canary.backwards),
            ("rot13", canary.turned),
            ("hexadecimal", canary.hexadecimal),
        ):
            if part in self._letters:
                return form
        return "base64" if any(part in self._base64 for part in canary.base64) else None

    @cached_property
    def _plain(self) -> str:
        return _plain(self._text)

    @cached_property
    def _letters(self) -> str:
        return _letters(self._text)

    @cached_property
    def _base64(self) -> str:
        return _NOT_BASE64.sub("", self._text).replace("-", "+").replace("_", "/")

    @cached_property
    def _unquoted(self) -> str:
        return _plain(unquote(self._text)) if _PERCENT.search(self._text) else ""


def _plain(text: str) -> str:
    """In one spelling of letters, case and white space, without invisible characters."""
    shown = "".join(mark for mark in _normal(text) if mark.isprintable() or mark.isspace())
    return " ".join(shown.split())


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", _normal(text))


def _normal(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _base64(raw: bytes) -> tuple[str, ...]:
    """What Base64 makes of the bytes at each of three places, less what neighbours decide."""
    forms = []
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw).decode()
        first = (0, 2, 3)[shift]
        last = len(coded.rstrip("=")) - (1 if (len(raw) + shift) % 3 else 0)
        forms.append(coded[first:last])
    return tuple(forms)
