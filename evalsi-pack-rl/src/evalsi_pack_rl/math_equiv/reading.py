"""An answer as it is understood: spelling, number and tree, each made when it is needed."""

from __future__ import annotations

import re
from typing import Final

from evalsi_pack_rl.math_equiv.matrices import evaluated
from evalsi_pack_rl.math_equiv.numbers import Measure, measure
from evalsi_pack_rl.math_equiv.spelling import cleaned, trimmed
from evalsi_pack_rl.math_equiv.syntax import Node, NotParsed, parse
from evalsi_pack_rl.math_equiv.words import definite, text_key

__all__ = ["Reading"]

_LONGEST: Final = 2000
"""Characters beyond which a text is only a number of many digits, or compared as it stands."""

_LONGEST_NUMBER: Final = 100_000
_PLAIN: Final = re.compile(r"-?[0-9][0-9,]*+(?:\.[0-9]++)?").fullmatch
_NUMERIC: Final = "0123456789.,+- "


class Reading:
    """One text that states an answer. Nothing about it depends on what it is compared with.

    Attributes:
        written: the text as a formula.
        text: the text in one spelling.
        measure: the plain number that it states, if it does.
        long: whether it is so long that it is compared as it stands.
    """

    __slots__ = ("_key", "_tree", "long", "measure", "text", "written")

    def __init__(self, text: str) -> None:
        self.measure: Measure | None
        self.long = _is_long(text)
        if self.long:
            self.written = self.text = text
            self.measure = None
        elif _PLAIN(text):  # nothing in it to clean
            self.written = self.text = text
            self.measure = measure(text)
        else:
            self.written = trimmed(text)
            self.text = cleaned(self.written)
            self.measure = measure(self.text)
        self._key: str | None = None
        self._tree: Node | NotParsed | None = None

    @property
    def vague(self) -> bool:
        """Whether the text says that it is an approximation."""
        return definite(self.text) is not None

    @property
    def key(self) -> str:
        """What equal texts share; of an approximation without the word that says so."""
        if self._key is None:
            value = definite(self.text)
            self._key = text_key(self.text) if value is None else f"~{text_key(value)}"
        return self._key

    @property
    def tree(self) -> Node | NotParsed:
        """The text as mathematics, or why it is none."""
        if self._tree is None:
            try:
                tree = parse(self.written)
                self._tree = evaluated(tree) if "\\begin" in self.written else tree
            except NotParsed as error:
                self._tree = error
        return self._tree


def _is_long(text: str) -> bool:
    if len(text) <= _LONGEST:
        return False
    return len(text) > _LONGEST_NUMBER or bool(text.strip(_NUMERIC))
