"""Operands by the token that begins them: numerals, letters, words, commands, brackets."""

# ruff: noqa: S105 - a token of the grammar is no password
from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from evalsi_pack_rl.math_equiv.syntax import brackets, environments, functions, words
from evalsi_pack_rl.math_equiv.syntax.building import constant_or_none
from evalsi_pack_rl.math_equiv.syntax.names import FUNCTIONS, JOINED, NAMES, NUMBER_SETS
from evalsi_pack_rl.math_equiv.syntax.numerals import based, numeral
from evalsi_pack_rl.math_equiv.syntax.spellings import GREEK
from evalsi_pack_rl.math_equiv.syntax.symbols import group_text, letter, named
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Constant,
    Node,
    NotParsed,
    Number,
    NumberSet,
    Quantity,
    Set,
    Words,
)

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.syntax.parser import Parser

__all__ = ["OPERANDS", "begins", "reader_of"]

Reader: TypeAlias = Callable[["Parser", str], Node]

_NOT_OPERANDS: Final = frozenset({"and", "or", "in", "mod"})
_PLAIN_NUMBER: Final = re.compile(r"-?\d[\d,]*(?:\.\d+)?", re.ASCII)
_MATHEMATICAL: Final = ("\\math", "\\rm", "\\operator")


def begins(parser: Parser, token: str) -> bool:
    """Whether an operand may begin with the token behind another operand."""
    if token in OPERANDS:
        if token in {"|", "\\|", "\\vert"}:
            return not parser.bars
        return token != "]" and not (token == "[" and parser.turned)
    first = token[:1]
    if first == "\\":
        return words.text_in(token) is not None or token[:6] in {"\\mathb", "\\begin"}
    if first == ".":
        return token[1:2].isdigit()
    return first.isalnum() and first.isascii() and token not in _NOT_OPERANDS


def reader_of(parser: Parser, token: str) -> Reader:
    """What reads the operand that begins with the token at the position, no fixed command.

    Raises:
        NotParsed: when none begins so.
    """
    first = token[:1]
    if first.isdigit() or (first == "." and token[1:2].isdigit()):
        return _numeral
    if first.isalpha() and token.isascii() and token not in _NOT_OPERANDS:
        return _letters
    if first == "\\" and token[-1] == "}" and len(token) > 3 and token.isascii():
        for beginning, reader in _LONG.items():
            if token.startswith(beginning):
                return reader
        if words.text_in(token) is not None:
            return _text
    raise NotParsed(parser.complaint(token))


def _numeral(parser: Parser, token: str) -> Node:
    following = parser.tokens[parser.at]
    if following == "_" or not token.isascii():
        if not token.isalnum() or not token.isascii():
            raise NotParsed("malformed")
        parser.at += 1
        return based(token, group_text(parser))
    if token.isalnum() and not token.isdigit() and "e" not in token.lower():
        raise NotParsed("malformed")
    if token == "0" and following[:1] == "x" and following[1:].isdigit():
        raise NotParsed("malformed")  # A number of a programming language, not 0 times x.
    number = numeral(token)
    return functions.mixed(parser, number) if isinstance(number, Number) else number


def _letters(parser: Parser, token: str) -> Node:
    if len(token) == 1:
        return letter(parser, token)
    if token in FUNCTIONS:
        return functions.call(parser, token)
    if token in NAMES:
        return _constant_or_greek(parser, token)
    if not token.isalpha():
        if token[1:].isdigit():
            return named(parser, f"{token[0]}_{token[1:]}")
        raise NotParsed("malformed")
    return _run(parser, token)


def _run(parser: Parser, token: str) -> Node:
    """Letters that are no name: digits in a base, a word, or a product."""
    if parser.tokens[parser.at] == "_" and token.isupper():
        digits = _hexadecimal(parser, token)
        if digits is not None:
            return digits
    joined = JOINED.fullmatch(token)
    if joined:
        return _split(parser, [part for part in joined.groups() if part])
    if words.is_word(token):
        return words.gathered(parser, token)
    return _split(parser, list(token))


def _hexadecimal(parser: Parser, token: str) -> Node | None:
    tokens, at = parser.tokens, parser.at
    base = tokens[at + 2] if tokens[at + 1] == "{" else tokens[at + 1]
    if not base.isdigit() or len(base) != 2 or not all(c <= "F" for c in token):
        return None
    parser.at += 1
    return based(token, group_text(parser))


def _split(parser: Parser, parts: list[str]) -> Node:
    """The first of the parts; they take the place of the token that they were."""
    at = parser.at
    parser.tokens[at - 1 : at] = parts
    return (OPERANDS.get(parts[0]) or reader_of(parser, parts[0]))(parser, parts[0])


def _constant_or_greek(parser: Parser, token: str) -> Node:
    name = token.removeprefix("\\")
    if name == "pi":
        following = parser.tokens[parser.at]
        return named(parser, "pi") if following == "_" else _PI
    if name in {"infinity", "infty"}:
        return _INFINITY
    return named(parser, name.removeprefix("var"))


def _text(parser: Parser, token: str) -> Node:
    text = words.text_in(token) or ""
    if text in FUNCTIONS:
        return functions.call(parser, text)
    if len(text) == 1 and text.isalpha():
        return letter(parser, text)
    if _PLAIN_NUMBER.fullmatch(text):
        return _split(parser, ["{", *_tokens(text), "}"])
    if text in NAMES:
        return _constant_or_greek(parser, text)
    if not text.replace(" ", "").isalpha() and token.startswith(_MATHEMATICAL):
        return _split(parser, ["{", *_tokens(token[token.index("{") + 1 : -1]), "}"])
    return words.gathered(parser, text)


def _tokens(text: str) -> list[str]:
    from evalsi_pack_rl.math_equiv.syntax.tokens import tokens_of

    return [token for token in tokens_of(text) if token]


def _number_set(parser: Parser, token: str) -> Node:
    if token == "\\mathbb":
        token = group_text(parser)
    name = NUMBER_SETS.get(token.rstrip("}")[-1:])
    if name is None:
        raise NotParsed("malformed")
    tokens = parser.tokens
    if tokens[parser.at] in {"^", "_"}:
        suffix = tokens[parser.at + 1 : parser.at + 4]
        sign = suffix[1] if suffix[:1] == ["{"] and suffix[2:] == ["}"] else suffix[0]
        if sign in {"+", "-", "*"}:
            parser.at += 4 if suffix[0] == "{" else 2
            return NumberSet(name + sign)
    return NumberSet(name)


def _empty_set(_parser: Parser, _token: str) -> Node:
    return Set(())


def _money(parser: Parser, token: str) -> Node:
    value = parser.signed()
    unit = token.removeprefix("\\")
    if isinstance(value, Quantity):
        return Quantity(value.value, f"{unit} {value.unit}")
    return Quantity(value, unit)


def _dots(_parser: Parser, _token: str) -> Node:
    return Words("...")


def _transparent(parser: Parser, _token: str) -> Node:
    return parser.argument()


def _accented(parser: Parser, token: str) -> Node:
    return named(parser, f"{token[1:]} {group_text(parser)}")


_PI: Final = constant_or_none("pi") or Constant("pi")
_INFINITY: Final = Constant("infinity")

_LONG: Final[dict[str, Reader]] = {"\\begin": environments.read, "\\mathbb": _number_set}
OPERANDS: Final[dict[str, Reader]] = {
    **dict.fromkeys(GREEK, _constant_or_greek),
    **dict.fromkeys(("\\pi", "\\infty"), _constant_or_greek),
    **dict.fromkeys(("\\emptyset", "\\varnothing"), _empty_set),
    **dict.fromkeys(("\\mathbb", "\\R", "\\Z", "\\N", "\\Q", "\\C"), _number_set),
    **dict.fromkeys(("\\$", "\u00a3", "\u20ac", "\u00a5", "\u20b9"), _money),
    **dict.fromkeys(("\\dots", "\\ldots", "\\cdots", "..."), _dots),
    **dict.fromkeys(("\\boxed", "\\fbox", "\\mathrm", "\\mathbf", "\\boldsymbol"), _transparent),
    **dict.fromkeys(
        ("\\mathit", "\\mathsf", "\\mathcal", "\\text", "\\bm", "\\underline"), _transparent
    ),
    **dict.fromkeys(("\\vec", "\\hat", "\\bar", "\\overline", "\\tilde", "\\dot"), _accented),
    **dict.fromkeys(
        ("\\widehat", "\\overrightarrow", "\\angle", "\\triangle", "\\measuredangle"), _accented
    ),
    **functions.READERS,
    **brackets.READERS,
}
