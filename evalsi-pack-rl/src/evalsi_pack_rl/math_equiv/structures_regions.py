r"""Sets of real numbers in one form: `(1, 2)`, `1 < x < 2`, `\{x : 1 < x < 2\}` are one region.

A region is a union of pieces between two ends, each with or without them. Where all ends are
rational, pieces are put in order and joined, so that `x \ne 0` is `(-\infty, 0) \cup (0, \infty)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from evalsi_pack_rl.math_equiv.structures_linear import linear, rational
from evalsi_pack_rl.math_equiv.structures_names import has_symbols, symbols
from evalsi_pack_rl.math_equiv.structures_pieces import (
    REALS,
    Piece,
    complement,
    intersection,
    merged,
    piece,
    point,
    ray,
    same_pieces,
)
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Difference,
    Intersection,
    Node,
    Number,
    NumberSet,
    Relation,
    Sequence,
    Set,
    SetBuilder,
    Symbol,
    Union,
    Words,
)
from evalsi_pack_rl.math_equiv.verdict import Decision

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.structures import Structures

__all__ = ["is_region", "region_rule"]

_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_MOST_PIECES: Final = 100
_ALL: Final = frozenset({"all real numbers", "all reals", "the real numbers", "real numbers"})


class Region(NamedTuple):
    """Pieces of the real line; `name` is the variable of an inequality, or empty."""

    pieces: tuple[Piece, ...]
    name: str = ""


def is_region(node: Node) -> bool:
    """Whether a node can be nothing but a set of numbers, or a condition for one."""
    match node:
        case NumberSet() | Union() | Intersection() | Difference() | SetBuilder():
            return True
        case Words(text=text):
            return text.casefold() in _ALL
        case Relation(operators=operators):
            return bool({"<", ">", "<=", ">=", "!=", "in"}.intersection(operators))
        case Sequence(items=items, left=""):
            return all(isinstance(item, Relation) and is_region(item) for item in items)
        case Sequence(items=(_, _), left=left, right=right):
            return (left, right) in {("(", "]"), ("[", ")")}
        case _:
            return False


def region_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    """Compares two regions; None when neither is one by its form, or one cannot be read as one."""
    if not is_region(one) and not is_region(other):
        return None
    first, second = _region(one), _region(other)
    if first is None or second is None:
        return None
    if first.name and second.name:
        if first.name != second.name:
            return "no"
        if "scaled-relation" not in judge.lenient:
            return None
    if bool(first.name) != bool(second.name) and "inequality-as-interval" not in judge.lenient:
        return "no"
    return same_pieces(judge, first.pieces, second.pieces)


def _region(node: Node) -> Region | None:  # noqa: C901, PLR0911 - one a kind
    match node:
        case Sequence(items=(low, high), left=left, right=right) if left and left != "<":
            between = piece(low, high, low_closed=left == "[", high_closed=right == "]")
            return None if between is None else Region((between,))
        case Set(items=items):
            return None if any(map(has_symbols, items)) else Region(tuple(map(point, items)))
        case NumberSet(name="reals"):
            return Region((REALS,))
        case Union(parts=parts):
            return _united(parts)
        case Intersection(parts=parts):
            return _intersected(parts)
        case Difference(left=left, right=right):
            return _intersected((left,), without=right)
        case SetBuilder(element=element, condition=condition):
            found = _region(condition)
            name = element.sides[0] if isinstance(element, Relation) else element
            of_name = found is not None and name == Symbol(found.name)
            return Region(found.pieces) if found is not None and of_name else None
        case Sequence(items=items, left="", joint="or"):
            return _united(items)
        case Sequence(items=items, left="", joint=joint) if is_region(node):
            region = _intersected(items)
            is_alternative = joint == "," and region is not None and not region.pieces
            return _united(items) if is_alternative else region
        case Words(text=text) if text.casefold() in _ALL:
            return Region((REALS,))
        case Relation():
            return _solved(node)
        case _:
            return None


def _united(parts: tuple[Node, ...]) -> Region | None:
    regions = _regions(parts)
    if regions is None:
        return None
    pieces = tuple(one for region in regions for one in region.pieces)
    return Region(merged(pieces), regions[0].name)


def _intersected(parts: tuple[Node, ...], without: Node | None = None) -> Region | None:
    regions = _regions(parts)
    if regions is None:
        return None
    pieces: tuple[Piece, ...] | None = regions[0].pieces
    for region in regions[1:]:
        pieces = intersection(pieces, region.pieces) if pieces is not None else None
    if without is not None:
        removed = _region(without)
        outside = complement(removed.pieces) if removed else None
        pieces = intersection(pieces, outside) if pieces is not None and outside else None
    return None if pieces is None else Region(merged(pieces), regions[0].name)


def _regions(parts: tuple[Node, ...]) -> list[Region] | None:
    regions = [_region(part) for part in parts]
    found = [region for region in regions if region is not None]
    names = {region.name for region in found}
    if len(found) < len(regions) or len(names) > 1 or not found:
        return None
    return found if sum(len(region.pieces) for region in found) <= _MOST_PIECES else None


def _solved(relation: Relation) -> Region | None:
    """What a chain of inequalities in one variable says of it."""
    names = symbols(relation)
    if relation.operators == ("in",) and isinstance(relation.sides[0], Symbol):
        found = _region(relation.sides[1])
        return None if found is None else Region(found.pieces, relation.sides[0].name)
    if len(names) != 1:
        return None
    (name,) = names
    pieces: tuple[Piece, ...] | None = (REALS,)
    for at, operator in enumerate(relation.operators):
        step = _step(relation.sides[at], operator, relation.sides[at + 1], name)
        pieces = intersection(pieces, step) if pieces is not None and step is not None else None
    return None if pieces is None else Region(pieces, name)


def _step(left: Node, operator: str, right: Node, name: str) -> tuple[Piece, ...] | None:
    """The pieces on which one inequality holds."""
    if isinstance(right, Symbol) and not has_symbols(left):
        left, operator, right = right, _FLIPPED.get(operator, operator), left
    if isinstance(left, Symbol) and not has_symbols(right):
        return _ray(operator, right)
    if isinstance(left, Call) and left.name == "abs" and operator in _FLIPPED:
        return _size(left.arguments[0], operator, right, name)
    lines = linear(left, name), linear(right, name)
    if lines[0] is None or lines[1] is None:
        return None
    slope = lines[0][0] - lines[1][0]
    if not slope:
        return None
    bound = Number((lines[1][1] - lines[0][1]) / slope)
    return _ray(operator if slope > 0 else _FLIPPED.get(operator, operator), bound)


def _size(inside: Node, operator: str, right: Node, name: str) -> tuple[Piece, ...] | None:
    """The pieces on which the absolute value of something is below or above a bound."""
    bound = rational(right)
    if bound is None or bound <= 0:
        return None
    upper = _step(inside, operator, Number(bound), name)
    lower = _step(inside, _FLIPPED[operator], Number(-bound), name)
    if upper is None or lower is None:
        return None
    return merged((*lower, *upper)) if operator[0] == ">" else intersection(lower, upper)


def _ray(operator: str, bound: Node) -> tuple[Piece, ...] | None:
    if operator == "!=":
        return complement((point(bound),))
    if operator == "=":
        return (point(bound),)
    if operator not in _FLIPPED:
        return None
    return (ray(bound, up=operator[0] == ">", closed=operator.endswith("=")),)
