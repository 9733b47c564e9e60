r"""Brackets: groups, tuples, intervals, sets, absolute values, `\lfloor`."""

# ruff: noqa: S105 - a token of the grammar is no password
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.syntax.building import quotient
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Matrix,
    Node,
    NotParsed,
    Piecewise,
    Sequence,
    Set,
    SetBuilder,
)

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.syntax.parser import Parser

__all__ = ["READERS"]

_ROUND: Final = {
    "(": "(",
    "[": "[",
    ")": ")",
    "]": "]",
    "\\lparen": "(",
    "\\rparen": ")",
    "\\lbrack": "[",
    "\\rbrack": "]",
}
_BETWEEN: Final = frozenset({"\\choose", "\\over"})
_BAR: Final = frozenset({"|", "\\mid", ":", "\\vert", "\\colon"})


def _is_list(node: Node) -> bool:
    return isinstance(node, Sequence) and not node.left and node.joint == ","


def _round(parser: Parser, token: str) -> Node:
    inside = parser.inside(")", "]", "\\rparen", "\\rbrack")
    left, right = _ROUND[token], _ROUND[parser.tokens[parser.at - 1]]
    if isinstance(inside, Sequence) and _is_list(inside):
        return Sequence(inside.items, left, right)
    if left + right not in {"()", "[]"}:
        raise NotParsed("malformed")
    return inside


def _turned(parser: Parser, _token: str) -> Node:
    """An interval with its brackets turned outwards: `]0,1[` is open."""
    inside = parser.inside("[", "]")
    if not isinstance(inside, Sequence) or not _is_list(inside) or len(inside.items) != 2:
        raise NotParsed("malformed")
    return Sequence(inside.items, "(", ")" if parser.tokens[parser.at - 1] == "[" else "]")


def _angled(parser: Parser, _token: str) -> Node:
    inside = parser.inside("\\rangle")
    return Sequence(inside.items if isinstance(inside, Sequence) else (inside,), "<", ">")


def _braces(parser: Parser, token: str) -> Node:
    closing = "}" if token == "{" else "\\}" if token == "\\{" else "\\rbrace"
    if parser.tokens[parser.at] == closing and closing != "}":
        parser.at += 1
        return Set(())
    state = parser.bars, parser.turned, parser.colon
    parser.bars, parser.turned, parser.colon = 1, False, False
    inside = parser.listed()
    parser.bars, parser.turned, parser.colon = state
    if parser.tokens[parser.at] in _BAR:
        parser.at += 1
        return SetBuilder(inside, parser.inside(closing))
    if token == "{" and parser.tokens[parser.at] in _BETWEEN:
        return _between(parser, inside)
    if token != "{" and _is_system(inside) and parser.tokens[parser.at] != closing:
        return _system(inside)
    parser.take(closing)
    if isinstance(inside, Sequence) and _is_list(inside):
        return Set(inside.items)
    return inside if token == "{" else Set((inside,))


def _between(parser: Parser, left: Node) -> Node:
    r"""`{n \choose k}` and `{a \over b}`, in the way of plain TeX."""
    parser.at += 1
    is_choice = parser.tokens[parser.at - 1] == "\\choose"
    right = parser.inside("}")
    return Call("binomial", (left, right)) if is_choice else quotient(left, right)


def _is_system(node: Node) -> bool:
    return isinstance(node, Matrix | Piecewise)


def _system(node: Node) -> Node:
    r"""An array behind `\left\{` without its counterpart: equations, or values with conditions."""
    if not isinstance(node, Matrix) or len(node.rows[0]) > 2:
        return node
    if len(node.rows[0]) == 2:
        return Piecewise(tuple((row[0], row[1]) for row in node.rows))
    return Sequence(tuple(row[0] for row in node.rows))


def _bars(parser: Parser, token: str) -> Node:
    state = parser.bars, parser.turned, parser.colon
    parser.bars, parser.turned, parser.colon = 1, False, True
    inside = parser.listed()
    parser.bars, parser.turned, parser.colon = state
    parser.take(token)
    return _absolute(inside, "norm" if token == "\\|" else "abs")


def _closed(parser: Parser, token: str) -> Node:
    closing, name = _PAIRS[token]
    return _absolute(parser.inside(closing), name)


def _absolute(inside: Node, name: str) -> Node:
    if isinstance(inside, Matrix) and name == "abs":
        return Matrix(inside.rows, "determinant")
    return Call(name, (inside,))


_PAIRS: Final = {
    "\\lvert": ("\\rvert", "abs"),
    "\\lVert": ("\\rVert", "norm"),
    "\\lfloor": ("\\rfloor", "floor"),
    "\\lceil": ("\\rceil", "ceil"),
}

READERS: Final[dict[str, Callable[[Parser, str], Node]]] = {
    **dict.fromkeys(("(", "[", "\\lparen", "\\lbrack"), _round),
    "]": _turned,
    "\\langle": _angled,
    **dict.fromkeys(("{", "\\{", "\\lbrace"), _braces),
    **dict.fromkeys(("|", "\\|", "\\vert"), _bars),
    **dict.fromkeys(_PAIRS, _closed),
}
