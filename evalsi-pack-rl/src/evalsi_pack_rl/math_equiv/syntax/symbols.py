"""Letters with what hangs on them: subscripts, primes, and brackets behind a function's name."""

# ruff: noqa: S105 - a token of the grammar is no password
from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from evalsi_pack_rl.math_equiv.syntax.building import constant_or_none
from evalsi_pack_rl.math_equiv.syntax.names import FUNCTION_LETTERS
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Node,
    NotParsed,
    Number,
    Sequence,
    Symbol,
)

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.syntax.parser import Parser

__all__ = ["arguments", "group_text", "letter", "named"]


def letter(parser: Parser, name: str) -> Node:
    """A single letter: a constant, a function with its arguments, or a variable."""
    following = parser.tokens[parser.at]
    if following in {"_", "'", "(", "^"}:
        return named(parser, name)
    return constant_or_none(name) or Symbol(name)


def named(parser: Parser, name: str) -> Node:
    """A variable or function of that name, with its subscript and primes."""
    base = name
    tokens = parser.tokens
    if tokens[parser.at] == "_":
        parser.at += 1
        name = f"{name}_{group_text(parser)}"
        combination = _combination(parser, name)
        if combination is not None:
            return combination
    name += _primes(parser)
    if base in FUNCTION_LETTERS or base == "h":
        if tokens[parser.at : parser.at + 6] == ["^", "{", "-", "1", "}", "("]:
            parser.at += 5
            return Call(f"{name}^-1", arguments(parser))
        if tokens[parser.at] == "(" and (base != "h" or tokens[parser.at + 2] == ")"):
            return Call(name, arguments(parser))
    return constant_or_none(name) or Symbol(name)


def _primes(parser: Parser) -> str:
    tokens = parser.tokens
    primes = ""
    while tokens[parser.at] == "'":
        primes += "'"
        parser.at += 1
    if tokens[parser.at] == "^":
        behind = tokens[parser.at + 1 : parser.at + 4]
        mark = behind[1] if behind[:1] == ["{"] and behind[2:] == ["}"] else behind[0]
        if mark in {"\\prime", "*", "\\ast", "\\star", "'"}:
            parser.at += 4 if behind[0] == "{" else 2
            return primes + ("'" if mark in {"\\prime", "'"} else "*")
    return primes


def _combination(parser: Parser, name: str) -> Node | None:
    r"""`C_n^k` as a binomial coefficient, unless its numbers say that it is a power of `C_1`."""
    if name[:2] != "C_" or parser.tokens[parser.at] != "^":
        return None
    top = name[2:]
    if not (top.isdigit() or (len(top) == 1 and top.isalpha())):
        return None
    start = parser.at
    parser.at += 1
    bottom = parser.argument()
    size: Node = Number(Fraction(int(top))) if top.isdigit() else Symbol(top)
    is_power = isinstance(size, Number) and (
        not isinstance(bottom, Number) or bottom.value > size.value or bottom.value < 0
    )
    if is_power:
        parser.at = start
        return None
    return Call("binomial", (size, bottom))


def arguments(parser: Parser) -> tuple[Node, ...]:
    """What stands in the round brackets at the position."""
    parser.take("(")
    inside = parser.inside(")")
    if isinstance(inside, Sequence) and not inside.left and inside.joint == ",":
        return inside.items
    return (inside,)


def group_text(parser: Parser) -> str:
    """The tokens of a group in braces, or one token, as text: a name, not a value."""
    tokens = parser.tokens
    if tokens[parser.at] != "{":
        parser.at += 1
        return _bare(tokens[parser.at - 1])
    start = parser.at + 1
    open_braces = 0
    while True:
        token = tokens[parser.at]
        open_braces += (token == "{") - (token == "}")
        parser.at += 1
        if not open_braces:
            return "".join(_bare(part) for part in tokens[start : parser.at - 1])
        if not token:
            raise NotParsed("malformed")


def _bare(token: str) -> str:
    if not token:
        raise NotParsed("malformed")
    if token[0] == "\\" and token[-1] == "}" and "{" in token:
        return token[token.index("{") + 1 : -1].strip()
    return token
