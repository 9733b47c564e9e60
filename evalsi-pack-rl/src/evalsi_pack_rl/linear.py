"""Regular expressions in linear time, where that gives the same verdict as Python's `re`.

The parse tree that Python itself makes of a pattern is written out again for RE2. What RE2 cannot
say with the same meaning, or where that is unsure, has no linear form, nor has a pattern on which
RE2 takes long; the caller then matches with `re` in a process that can be killed.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import re2

from evalsi_pack_rl.alphabet import Alphabet, TooManyKindsError
from evalsi_pack_rl.automaton import has_small_automaton
from evalsi_pack_rl.pattern_tree import (
    Anchor,
    Chain,
    Choice,
    Letter,
    NotLinearError,
    Repeat,
    Tree,
    classes_of,
    tree_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalsi_pack_rl.codepoints import Ranges

__all__ = ["LinearPattern", "linear_pattern"]

_PROGRAM_SIZE: Final = 2000
"""RE2's steps to make one state of the automaton, of which there are a thousand at most."""

_MEMORY: Final = 64 << 20
"""Bytes that RE2 may use: it keeps all states, and never starts again for want of room."""


class LinearPattern:
    """A pattern that RE2 matches against whole texts, with the verdicts of Python's `re`."""

    def __init__(self, compiled: re2._Regexp, alphabet: Alphabet) -> None:
        self._fullmatch = compiled.fullmatch
        self._encoded = alphabet.encoded

    def fullmatch(self, text: str) -> bool:
        """Whether the pattern matches the whole text, in some 30 ns a character at most."""
        letters = text.encode() if text.isascii() else self._encoded(text)
        return self._fullmatch(letters) is not None


@functools.lru_cache(maxsize=64)
def linear_pattern(pattern: str) -> LinearPattern | None:
    """The linear form of a valid pattern, or None where it has none."""
    try:
        tree = tree_of(pattern)
        alphabet = Alphabet(set(classes_of(tree)))
        compiled = re2.compile(_written(tree, alphabet.written).encode(), _options())
    except (NotLinearError, TooManyKindsError, re2.error, RecursionError):
        return None
    if compiled.programsize > _PROGRAM_SIZE or not has_small_automaton(tree, alphabet.letters):
        return None
    return LinearPattern(compiled, alphabet)


def _written(tree: Tree, write_class: Callable[[Ranges], str]) -> str:
    """A tree as RE2 reads it; `write_class` says how a set of code points is written."""
    match tree:
        case Letter(members):
            return write_class(members)
        case Anchor(written):
            return written
        case Chain(parts):
            return f"(?:{''.join(_written(part, write_class) for part in parts)})"
        case Choice(parts):
            return f"(?:{'|'.join(_written(part, write_class) for part in parts)})"
        case Repeat(part, least, most):
            return f"(?:{_written(part, write_class)}){_times(least, most)}"


def _times(least: int, most: int | None) -> str:
    if most is None:
        return "*" if least == 0 else f"{{{least},}}"
    return f"{{{least},{most}}}"


def _options() -> re2.Options:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    options.log_errors = False
    options.never_capture = True
    return options
