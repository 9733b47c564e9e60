"""Bare lists: what parts their items, and what they are by that."""

# ruff: noqa: S105 - a token of the grammar is no password
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.syntax.tree import Node, Sequence

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.syntax.parser import Parser

__all__ = ["joined", "separator_at"]

_SEPARATORS: Final = {
    ",": ",",
    ";": ";",
    "\\\\": ";",
    "and": "and",
    "or": "or",
    "\\land": "and",
    "\\wedge": "and",
    "\\lor": "or",
    "\\vee": "or",
    "&&": "and",
}
_ENDS: Final = frozenset({"", "&"})


def separator_at(parser: Parser) -> str:
    """What parts two items at the position, which moves behind it; empty where nothing does."""
    token = parser.tokens[parser.at]
    separator = _SEPARATORS.get(token, "")
    if not separator or (token == "\\\\" and not parser.breaks) or _ends(parser, parser.at + 1):
        return ""
    parser.at += 1
    if separator in ",;":
        behind = _SEPARATORS.get(parser.tokens[parser.at], "")
        if behind in {"and", "or"}:
            parser.at += 1
            return behind
    return separator


def _ends(parser: Parser, at: int) -> bool:
    while parser.tokens[at] in {",", ";", ".", "\\\\"}:
        at += 1
    token = parser.tokens[at]
    return token in _ENDS or token.startswith("\\end{")


def joined(items: list[Node], separators: list[str]) -> Node:
    """The items as one Sequence; where separators differ, `or` parts first, then `;`, then `,`.

    `1, 2, and 3` is one list, because the word stands before its last item only.
    """
    kinds = set(separators)
    if len(kinds) == 1:
        joint = separators[0]
        return Sequence(tuple(items), joint="," if joint == ";" else joint)
    if (
        kinds <= {",", separators[-1]}
        and separators[-1] != ";"
        and separators.count(separators[-1]) == 1
    ):
        return Sequence(tuple(items), joint="," if separators[-1] == ";" else separators[-1])
    parting = next(kind for kind in ("or", ";", "and", ",") if kind in kinds)
    groups: list[Node] = []
    start = 0
    for place, separator in enumerate([*separators, parting]):
        if separator == parting:
            group, within = items[start : place + 1], separators[start:place]
            groups.append(joined(group, within) if within else group[0])
            start = place + 1
    return Sequence(tuple(groups), joint="," if parting == ";" else parting)
