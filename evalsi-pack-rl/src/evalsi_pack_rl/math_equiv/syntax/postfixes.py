"""What stands behind an operand and belongs to it: exponents, `!`, percent and degree signs."""

# ruff: noqa: S105 - a token of the grammar is no password
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.syntax.building import negative
from evalsi_pack_rl.math_equiv.syntax.numerals import based
from evalsi_pack_rl.math_equiv.syntax.symbols import group_text
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Node,
    NotParsed,
    Number,
    Power,
    Quantity,
    Symbol,
    Words,
)

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.syntax.parser import Parser

__all__ = ["POSTFIXES", "read"]

_POWERS: Final = frozenset({"^", "**"})
_PERCENT: Final = frozenset({"%", "\\%"})
_DEGREE: Final = frozenset({"\\degree", "\\textdegree", "\\circ"})
_MONEY: Final = frozenset({"\\$", "\u00a3", "\u20ac", "\u00a5"})
_SCALES: Final = {
    spelling: name
    for letter, name in (("C", "celsius"), ("F", "fahrenheit"))
    for spelling in (letter, f"\\text{{{letter}}}", f"\\mathrm{{{letter}}}")
}

POSTFIXES: Final = _POWERS | _PERCENT | _DEGREE | _MONEY | {"!", "_"}


def read(parser: Parser, node: Node) -> Node:
    """The node with the postfix at the position."""
    token = parser.tokens[parser.at]
    parser.at += 1
    if token in _POWERS:
        return _degrees(parser, node) or _power(node, _exponent(parser))
    if token in _DEGREE:
        return _scaled(parser, node)
    if token == "!":
        return _factorial(parser, node)
    if token == "_":
        return _based(parser, node)
    return Quantity(node, "%" if token in _PERCENT else token.removeprefix("\\"))


def _degrees(parser: Parser, node: Node) -> Node | None:
    tokens, at = parser.tokens, parser.at
    if tokens[at] == "\\circ":
        parser.at += 1
    elif tokens[at : at + 3] == ["{", "\\circ", "}"]:
        parser.at += 3
    else:
        return None
    return _scaled(parser, node)


def _scaled(parser: Parser, node: Node) -> Node:
    scale = _SCALES.get(parser.tokens[parser.at])
    parser.at += scale is not None
    return Quantity(node, scale or "degrees")


def _exponent(parser: Parser) -> Node:
    minus = False
    while parser.tokens[parser.at] in {"-", "+"}:
        minus ^= parser.tokens[parser.at] == "-"
        parser.at += 1
    parser.depth += 1
    node = parser.argument()
    if parser.tokens[parser.at] in _POWERS:
        parser.at += 1
        node = Power(node, _exponent(parser))
    parser.depth -= 1
    return negative(node) if minus else node


def _power(node: Node, exponent: Node) -> Node:
    if isinstance(node, Words):
        if isinstance(exponent, Number) and exponent.value.denominator == 1:
            return Words(f"{node.text}^{exponent.value}")
        raise NotParsed("words")
    if isinstance(node, Quantity):
        raise NotParsed("malformed")
    return Power(node, exponent)


def _factorial(parser: Parser, node: Node) -> Node:
    if parser.tokens[parser.at] != "!":
        return Call("factorial", (node,))
    parser.at += 1
    if parser.tokens[parser.at] == "!":
        raise NotParsed("malformed")
    return Call("double-factorial", (node,))


def _based(parser: Parser, node: Node) -> Node:
    if isinstance(node, Power) and isinstance(node.base, Symbol) and "_" not in node.base.name:
        return Power(Symbol(f"{node.base.name}_{group_text(parser)}"), node.exponent)
    if not isinstance(node, Number) or not node.exact or node.value < 0:
        raise NotParsed("malformed")
    return based(str(node.value), group_text(parser))
