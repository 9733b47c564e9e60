r"""Words and units: what stands in `\text{...}` or in plain letters and is no mathematics."""

# ruff: noqa: S105 - a token of the grammar is no password
from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.syntax.names import FUNCTIONS, JOINED, NAMES
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Node,
    NotParsed,
    Number,
    Quantity,
    Symbol,
    Words,
)
from evalsi_pack_rl.math_equiv.units import unit_of

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.syntax.parser import Parser

__all__ = ["gathered", "is_unit", "is_word", "modulo", "only_words", "text_in", "with_unit"]

_ONLY_WORDS: Final = re.compile(r"[A-Za-z]++(?:[-' ]++[A-Za-z]++)*+")
_SHORT_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "yes no odd all any the of is not if it its to for by on at an are be both dne nan inf oo "
        "zoo one two six ten red tie who per sum few new old day man boy her him his won mod",
    )
)
_JOINTS: Final = frozenset({"and", "or"})
_REMAINDERS: Final = frozenset({"mod", "\\bmod", "\\mod", "\\text{mod}", "\\text{mod }"})
_OTHER_COMMANDS: Final = ("\\begin", "\\end", "\\mathbb")
_LETTERS_NOT_UNITS: Final = frozenset("eid")
_PRODUCTS: Final = frozenset({"hr", "lb", "mg", "ml", "mi", "ms", "cl", "dl", "pm", "am"})
"""Units that are two variables where no number stands before them, as in the area of a can."""


def only_words(text: str) -> Words | None:
    """The words of a text that has nothing else; None where letters may be mathematics."""
    text = text.strip()
    stripped = text.rstrip(".")
    if not stripped.isascii() or not _ONLY_WORDS.fullmatch(stripped):
        return None
    words = stripped.replace("-", " ").split()
    if not any(is_word(word) for word in words) or not _JOINTS.isdisjoint(words):
        return None
    return None if any(word in NAMES for word in words) else Words(" ".join(stripped.split()))


def is_word(letters: str) -> bool:
    """Whether a run of letters is a word, not a product of variables nor a name."""
    if len(letters) == 1 or letters in NAMES or JOINED.fullmatch(letters):
        return False
    if len(letters) < 4:
        return letters.lower() in _SHORT_WORDS
    in_order = all(one < other for one, other in pairwise(letters))
    return not (in_order and (letters.islower() or letters.isupper()))


def text_in(token: str) -> str | None:
    r"""What a token such as `\text{ cm}` encloses, in single spaces; None for other tokens."""
    if token[-1:] != "}" or len(token) < 4 or token.startswith(_OTHER_COMMANDS):
        return None
    return " ".join(token[token.index("{") + 1 : -1].replace("\\", " ").replace("~", " ").split())


def gathered(parser: Parser, first: str) -> Words:
    """Words with all the words behind them; the position is behind the first."""
    parts = [first]
    while True:
        token = parser.tokens[parser.at]
        text = text_in(token)
        if text is None and token.isalpha() and token.isascii() and token not in _JOINTS:
            text = token
        if text is None or (text in NAMES and len(text) > 1):
            return Words(" ".join(part for part in parts if part))
        parts.append(text)
        parser.at += 1


def is_unit(parser: Parser, token: str, before: Node) -> bool:
    """Whether the token begins a unit, or other words, behind a value."""
    text = text_in(token)
    if text is not None:
        return _is_written_unit(text, before)
    if token == "(":
        return parser.tokens[parser.at + 1] in _REMAINDERS
    if len(token) < 2 or not token.isalpha() or isinstance(before, Words) or token in _JOINTS:
        return False
    if is_word(token):
        return True
    if isinstance(before, Symbol) or (token in _PRODUCTS and not isinstance(before, Number)):
        return False
    known = unit_of(token, spaced=False) is not None
    return known and (token not in NAMES or not parser.begins_operand(parser.at + 1))


def _is_written_unit(text: str, before: Node) -> bool:
    if text in FUNCTIONS or isinstance(before, Words) or text[:1].isdigit():
        return False
    return len(text) != 1 or not (isinstance(before, Symbol) or text in _LETTERS_NOT_UNITS)


def with_unit(parser: Parser, value: Node) -> Quantity:
    """The value with the unit at the position: words, exponents, and words behind a slash."""
    tokens = parser.tokens
    if tokens[parser.at] == "(":
        parser.at += 2
        return modulo(value, parser.inside(")"))
    unit = ""
    while True:
        first = _unit_word(tokens[parser.at])
        if not first:
            break
        parser.at += 1
        unit = f"{unit}{gathered(parser, first).text}{_unit_exponent(parser)}"
        if tokens[parser.at] != "/" or not _unit_word(tokens[parser.at + 1]):
            break
        unit += "/"
        parser.at += 1
    if not unit:
        parser.at += 1
        return Quantity(value, "")
    if isinstance(value, Quantity):
        return Quantity(value.value, f"{value.unit} {unit}")
    return Quantity(value, unit)


def _unit_word(token: str) -> str:
    text = text_in(token)
    return text if text is not None else token if token.isalpha() and token.isascii() else ""


def _unit_exponent(parser: Parser) -> str:
    tokens, at = parser.tokens, parser.at
    if tokens[at] != "^":
        return ""
    part = tokens[at + 1 : at + 4]
    digits = part[1] if part[:1] == ["{"] and part[2:] == ["}"] else part[0]
    if not digits.isdigit():
        return ""
    parser.at += 4 if part[0] == "{" else 2
    return f"^{digits}"


def modulo(value: Node, modulus: Node) -> Quantity:
    """The value as a residue; only of a plain modulus.

    Raises:
        NotParsed: for any other modulus.
    """
    if isinstance(modulus, Number):
        return Quantity(value, f"mod {modulus.value}")
    if isinstance(modulus, Symbol):
        return Quantity(value, f"mod {modulus.name}")
    raise NotParsed("malformed")
