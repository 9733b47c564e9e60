r"""`\begin{pmatrix}`, `\begin{array}` and `\begin{cases}`."""

# ruff: noqa: S105 - a token of the grammar is no password
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.syntax.symbols import group_text
from evalsi_pack_rl.math_equiv.syntax.tree import Matrix, Node, NotParsed, Piecewise, Sequence
from evalsi_pack_rl.math_equiv.syntax.words import text_in

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.syntax.parser import Parser

__all__ = ["read"]

_MATRICES: Final = frozenset({"matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "array"})
_DETERMINANTS: Final = frozenset({"vmatrix", "Vmatrix"})
_CASES: Final = frozenset({"cases", "dcases", "rcases"})
_IF: Final = frozenset({"if", "for", "when", "where"})


def read(parser: Parser, token: str) -> Node:
    """The environment that the token begins."""
    name = token[token.index("{") + 1 : -1].rstrip("*")
    if name not in _MATRICES | _DETERMINANTS | _CASES:
        raise NotParsed("unknown-command")
    if name == "array" and parser.tokens[parser.at] == "{":
        group_text(parser)
    breaks, parser.breaks = parser.breaks, False
    rows = _rows(parser, is_cases=name in _CASES)
    parser.breaks = breaks
    if name in _CASES:
        return _cases(rows)
    if any(len(row) != len(rows[0]) for row in rows):
        raise NotParsed("malformed")
    kind = "determinant" if name in _DETERMINANTS else "matrix"
    return Matrix(tuple(tuple(row) for row in rows), kind)


def _rows(parser: Parser, *, is_cases: bool) -> list[list[Node]]:
    rows: list[list[Node]] = [[]]
    while True:
        if is_cases and rows[-1]:
            _skip_if(parser)
        rows[-1].append(parser.listed())
        if parser.tokens[parser.at] in {",", ";", "."}:
            parser.at += 1
        token = parser.tokens[parser.at]
        parser.at += 1
        if token == "\\\\" and parser.tokens[parser.at][:4] != "\\end":
            rows.append([])
        elif token != "&":
            break
    if token == "\\\\":
        token = parser.tokens[parser.at]
        parser.at += 1
    if token[:4] != "\\end":
        raise NotParsed(parser.complaint(token))
    return rows


def _skip_if(parser: Parser) -> None:
    token = parser.tokens[parser.at]
    if (text_in(token) or token) in _IF:
        parser.at += 1


def _cases(rows: list[list[Node]]) -> Node:
    if all(len(row) == 1 for row in rows):
        return Sequence(tuple(row[0] for row in rows))
    if any(len(row) != 2 for row in rows):
        raise NotParsed("malformed")
    return Piecewise(tuple((row[0], row[1]) for row in rows))
