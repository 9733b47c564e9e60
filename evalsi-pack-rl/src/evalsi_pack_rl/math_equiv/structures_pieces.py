"""Pieces of the real line: their ends, their order where it is known, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from evalsi_pack_rl.math_equiv.structures_linear import rational
from evalsi_pack_rl.math_equiv.structures_names import has_symbols
from evalsi_pack_rl.math_equiv.syntax.tree import Constant, Node, Number, Product
from evalsi_pack_rl.math_equiv.verdict import Decision

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.structures import Structures

__all__ = [
    "REALS",
    "Piece",
    "complement",
    "intersection",
    "merged",
    "piece",
    "point",
    "ray",
    "same_pieces",
]

End = Fraction | float | Node
"""A rational number, plus or minus infinity as a float, or an expression whose place is unknown."""

_UP: Final = float("inf")


class Piece(NamedTuple):
    """What lies between two ends, each with (True) or without it."""

    low: End
    low_closed: bool
    high: End
    high_closed: bool


REALS: Final = Piece(-_UP, False, _UP, False)


def piece(low: Node, high: Node, *, low_closed: bool, high_closed: bool) -> Piece | None:
    """The piece between two nodes; None when it is none."""
    if has_symbols(low) or has_symbols(high):
        return None
    first, second = _end(low), _end(high)
    if first is None or second is None or first == _UP or second == -_UP:
        return None
    if _is_placed(first) and _is_placed(second) and not first < second:  # type: ignore[operator]
        return None
    return Piece(first, low_closed, second, high_closed)


def point(node: Node) -> Piece:
    """One number as a piece."""
    value = rational(node)
    end = node if value is None else value
    return Piece(end, True, end, True)


def ray(bound: Node, *, up: bool, closed: bool) -> Piece:
    """All numbers above or below a bound."""
    end = _end(bound)
    end = bound if end is None else end
    return Piece(end, closed, _UP, False) if up else Piece(-_UP, False, end, closed)


def merged(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces in order, joined where they touch; as they are where the order is unknown."""
    if not _are_placed(pieces):
        return tuple(pieces)
    joined: list[Piece] = []
    for one in sorted(pieces, key=lambda one: (one.low, not one.low_closed)):
        last = joined[-1] if joined else None
        if last is None or not _touch(last, one):
            joined.append(one)
            continue
        high, closed = max((last.high, last.high_closed), (one.high, one.high_closed))
        joined[-1] = Piece(last.low, last.low_closed, high, closed)
    return tuple(joined)


def intersection(one: Sequence[Piece], other: Sequence[Piece]) -> tuple[Piece, ...] | None:
    """What both have; None where the order of their ends is unknown."""
    found = []
    for first in one:
        for second in other:
            if REALS in {first, second}:
                found.append(second if first == REALS else first)
                continue
            common = _common(first, second)
            if common is None:
                return None
            found += common
    return tuple(found)


def complement(pieces: Sequence[Piece]) -> tuple[Piece, ...] | None:
    """All other real numbers; None where the order of ends is unknown."""
    ordered = merged(pieces)
    if len(ordered) > 1 and not _are_placed(ordered):
        return None
    rest = []
    low: End = -_UP
    closed = False
    for one in ordered:
        rest.append(Piece(low, closed, one.low, not one.low_closed))
        low, closed = one.high, not one.high_closed
    rest.append(Piece(low, closed, _UP, False))
    return tuple(one for one in rest if one.low != one.high)


def same_pieces(judge: Structures, one: Sequence[Piece], other: Sequence[Piece]) -> Decision:
    """Whether two sequences of pieces are the same in some order."""
    if len(one) != len(other):
        return "no"
    rest = list(other)
    for first in one:
        decisions = [_same_piece(judge, first, second) for second in rest]
        if "yes" not in decisions:
            return "undecided" if "undecided" in decisions else "no"
        del rest[decisions.index("yes")]
    return "yes"


def _same_piece(judge: Structures, one: Piece, other: Piece) -> Decision:
    if (one.low_closed, one.high_closed) != (other.low_closed, other.high_closed):
        return "no"
    decisions = {_same_end(judge, one.low, other.low), _same_end(judge, one.high, other.high)}
    return "no" if "no" in decisions else "undecided" if "undecided" in decisions else "yes"


def _same_end(judge: Structures, one: End, other: End) -> Decision:
    if isinstance(one, float) or isinstance(other, float):
        return "yes" if one == other else "no"
    return judge.same(_node(one), _node(other))


def _node(end: Fraction | Node) -> Node:
    return Number(end) if isinstance(end, Fraction) else end


def _end(node: Node) -> End | None:
    if isinstance(node, Constant) and node.name == "infinity":
        return _UP
    if isinstance(node, Product) and Constant("infinity") in node.factors:
        factors = [rational(factor) for factor in node.factors if factor != Constant("infinity")]
        return (_UP if factors[0] > 0 else -_UP) if len(factors) == 1 and factors[0] else None
    value = rational(node)
    return node if value is None else value


def _is_placed(end: End) -> bool:
    return isinstance(end, Fraction | float)


def _are_placed(pieces: Sequence[Piece]) -> bool:
    return all(_is_placed(one.low) and _is_placed(one.high) for one in pieces)


def _touch(one: Piece, other: Piece) -> bool:
    """Whether no number lies between one piece and the next."""
    if other.low == one.high:
        return one.high_closed or other.low_closed
    return bool(other.low < one.high)  # type: ignore[operator]


def _common(one: Piece, other: Piece) -> list[Piece] | None:
    low = _later((one.low, one.low_closed), (other.low, other.low_closed), sign=1)
    high = _later((one.high, one.high_closed), (other.high, other.high_closed), sign=-1)
    if low is None or high is None:
        return None
    if not (_is_placed(low[0]) and _is_placed(high[0])):
        return [Piece(*low, *high)]
    if low[0] < high[0] or (low[0] == high[0] and low[1] and high[1]):  # type: ignore[operator]
        return [Piece(*low, *high)]
    return []


def _later(one: tuple[End, bool], other: tuple[End, bool], *, sign: int) -> tuple[End, bool] | None:
    """The end that leaves less; None when that is unknown."""
    for first, second in ((one, other), (other, one)):
        if first[0] == -sign * _UP:  # what has no bound here leaves all
            return second
    if not (_is_placed(one[0]) and _is_placed(other[0])):
        return None
    if one[0] == other[0]:
        return one[0], one[1] and other[1]
    is_later = (one[0] > other[0]) == (sign > 0)  # type: ignore[operator]
    return one if is_later else other
