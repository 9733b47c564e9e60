r"""Patterns of RE2: matched in time linear in the text, whatever the text.

The syntax is RE2's: no look-around and no backreferences; `\d`, `\w`, `\s` and `\b` know ASCII.
"""

from __future__ import annotations

import functools
from typing import Final

import re2

__all__ = ["LinearPattern", "linear_pattern"]

_PROGRAM_SIZE: Final = 3000
"""RE2's instructions. A thousand may cost a microsecond a character; a class of Unicode's letters
alone has twelve hundred."""

_MEMORY: Final = 16 << 20


class LinearPattern:
    """A compiled pattern for texts of any kind, lone surrogates included."""

    def __init__(self, compiled: re2._Regexp) -> None:
        self._compiled = compiled

    def search(self, text: str, *, whole: bool = False) -> str | None:
        """What the pattern matches, first in the text or the whole of it; None for nothing."""
        match = self._compiled.fullmatch if whole else self._compiled.search
        found = match(_encoded(text))
        return None if found is None else found.group().decode("utf-8", "replace")


@functools.lru_cache(maxsize=256)
def linear_pattern(pattern: str, *, ignore_case: bool = False) -> LinearPattern:
    """The compiled pattern.

    Raises:
        ValueError: RE2 does not read it, or it is too large; the message is a clause.
    """
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        compiled = re2.compile(pattern.encode("utf-8", "surrogatepass"), options)
    except re2.error as error:
        raise ValueError(f"{pattern[:80]!r} is no pattern of RE2: {_told(error)}") from error
    if compiled.programsize > _PROGRAM_SIZE:
        raise ValueError(
            f"{pattern[:80]!r} makes a program of {compiled.programsize} steps; "
            f"{_PROGRAM_SIZE} are allowed"
        )
    return LinearPattern(compiled)


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _told(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
