"""What a regular expression means, flags resolved, as far as a linear-time engine can say it.

Made from the parse tree that Python itself makes of the pattern. What RE2 cannot say with the same
meaning, or where that is unsure, has no tree.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from evalsi_pack_rl.codepoints import (
    EVERYTHING,
    NEWLINE,
    Ranges,
    case_variants,
    category,
    complement,
    merged,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "Anchor",
    "Chain",
    "Choice",
    "Letter",
    "NotLinearError",
    "Repeat",
    "Tree",
    "classes_of",
    "tree_of",
]

_Node: TypeAlias = tuple[Any, Any]


class NotLinearError(Exception):
    """The pattern has no linear form."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One character of a set."""

    members: Ranges


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place between characters, as RE2 writes it."""

    written: str


@dataclass(frozen=True, slots=True)
class Chain:
    """One part after the other."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the parts."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part `least` to `most` times; without an upper bound where `most` is None."""

    part: Tree
    least: int
    most: int | None


Tree: TypeAlias = Letter | Anchor | Chain | Choice | Repeat


def tree_of(pattern: str) -> Tree:
    """The meaning of a valid pattern.

    Raises:
        NotLinearError: a linear-time engine cannot say it.
    """
    parsed = _PARSER.parse(pattern)
    return _chain(parsed, parsed.state.flags, last=True)


def classes_of(tree: Tree) -> Iterator[Ranges]:
    """The sets of characters that a tree names."""
    match tree:
        case Letter(members):
            yield members
        case Chain(parts) | Choice(parts):
            for part in parts:
                yield from classes_of(part)
        case Repeat(part):
            yield from classes_of(part)


def _chain(nodes: Iterable[_Node], flags: int, *, last: bool) -> Chain:
    """A sequence of nodes; `last` says that nothing of the pattern comes after it."""
    items = list(nodes)
    final = len(items) - 1
    return Chain(
        tuple(_tree(node, flags, last=last and index == final) for index, node in enumerate(items))
    )


def _tree(node: _Node, flags: int, *, last: bool) -> Tree:
    kind, argument = node
    match str(kind):
        case "LITERAL" | "NOT_LITERAL" | "IN" | "ANY":
            return Letter(_members(node, flags))
        case "MAX_REPEAT" | "MIN_REPEAT":  # laziness decides where, not whether
            least, most, inner = argument
            bound = None if most == _PARSER.MAXREPEAT else most
            return Repeat(_chain(inner, flags, last=False), least, bound)
        case "SUBPATTERN":
            _, added, removed, inner = argument
            return _chain(inner, (flags | added) & ~removed, last=last)
        case "BRANCH":
            return _choice(argument[1], flags, last=last)
        case "AT":
            return _anchor(str(argument), flags, last=last)
    raise NotLinearError


def _choice(choices: Sequence[Iterable[_Node]], flags: int, *, last: bool) -> Choice:
    return Choice(tuple(_chain(one, flags, last=last) for one in choices))


def _members(node: _Node, flags: int) -> Ranges:
    """The code points that one character of the pattern stands for."""
    kind, argument = node
    match str(kind):
        case "ANY":
            return EVERYTHING if flags & re.DOTALL else complement(NEWLINE)
        case "LITERAL":
            return _cased(argument, argument, flags)
        case "NOT_LITERAL":
            return complement(_cased(argument, argument, flags))
    items = list(argument)
    negated = str(items[0][0]) == "NEGATE"
    members = merged(part for item in items[negated:] for part in _item(item, flags))
    return complement(members) if negated else members


def _item(item: _Node, flags: int) -> Ranges:
    kind, argument = item
    match str(kind):
        case "LITERAL":
            return _cased(argument, argument, flags)
        case "RANGE":
            return _cased(argument[0], argument[1], flags)
        case "CATEGORY":
            return category(str(argument), ascii_only=bool(flags & re.ASCII))
    raise NotLinearError


def _cased(low: int, high: int, flags: int) -> Ranges:
    if not flags & re.IGNORECASE:
        return ((low, high),)
    variants = case_variants(low, high, ascii_only=bool(flags & re.ASCII))
    if variants is None:
        raise NotLinearError
    return variants


def _anchor(place: str, flags: int, *, last: bool) -> Anchor:
    multiline = bool(flags & re.MULTILINE)
    match place:
        case "AT_BEGINNING":
            return Anchor("(?m:^)" if multiline else r"\A")
        case "AT_BEGINNING_STRING":
            return Anchor(r"\A")
        case "AT_END_STRING":
            return Anchor(r"\z")
        case "AT_END" if multiline:
            return Anchor("(?m:$)")
        case "AT_END" if last:  # elsewhere it also holds before a final newline: a look-ahead
            return Anchor(r"\z")
        case "AT_BOUNDARY" if flags & re.ASCII:
            return Anchor(r"\b")
    raise NotLinearError


# Private, and the only exact description of what `re` makes of a pattern.
_PARSER: Final = importlib.import_module("re._parser")
