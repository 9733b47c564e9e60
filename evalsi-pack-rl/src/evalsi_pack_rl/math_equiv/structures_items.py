"""Items in order, in any order, and without regard to how often they are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.canonical import OutOfBudget
from evalsi_pack_rl.math_equiv.syntax.tree import Node, Number
from evalsi_pack_rl.math_equiv.verdict import Decision

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.structures import Structures

__all__ = ["is_same", "same_items", "same_members", "same_multiset"]

_DEEPEST: Final = 4
_MOST_PAIRED: Final = 24
"""Items that are compared each with each; more of them are out of budget."""


def is_same(judge: Structures, one: Node, other: Node) -> bool:
    """Whether two trees are the same for certain; nothing is left open."""
    if isinstance(one, Number) and isinstance(other, Number):
        return one.value == other.value
    known = judge.known.get((one, other))
    if known is None:
        before = len(judge.open)
        known = judge.known[one, other] = judge.same(one, other) == "yes"
        del judge.open[before:]
    return known


def same_items(judge: Structures, one: Sequence[Node], other: Sequence[Node]) -> Decision:
    """Whether the items are the same, in order."""
    if len(one) != len(other):
        return "no"
    return judge.every(list(zip(one, other, strict=True)))


def same_multiset(judge: Structures, one: Sequence[Node], other: Sequence[Node]) -> Decision:
    """Whether the items are the same in some order, each as often."""
    if len(one) != len(other):
        return "no"
    left, rest = _unmatched(judge, one, other)
    if not left:
        return "yes"
    if len(left) == 1:
        return judge.same(left[0], rest[0])
    return _undecided(judge, left, rest)


def same_members(judge: Structures, one: Sequence[Node], other: Sequence[Node]) -> Decision:
    """Whether the items are the same in some order, however often each is named."""
    judge.nested += 1
    if judge.nested > _DEEPEST:  # every level compares each with each
        raise OutOfBudget
    decision = same_multiset(judge, _distinct(judge, one), _distinct(judge, other))
    judge.nested -= 1
    return decision


def _distinct(judge: Structures, items: Sequence[Node]) -> list[Node]:
    distinct: list[Node] = []
    for item in {_key(item): item for item in items}.values():
        _bounded(len(distinct))
        if not any(is_same(judge, item, kept) for kept in distinct):
            distinct.append(item)
    return distinct


def _unmatched(
    judge: Structures, one: Sequence[Node], other: Sequence[Node]
) -> tuple[list[Node], list[Node]]:
    """What is left of both when items that are the same have gone, each with its partner."""
    first, rest = _without_alike(one, other), _without_alike(other, one)
    _bounded(len(first))
    left = []
    for item in first:
        match = next((at for at, kept in enumerate(rest) if is_same(judge, item, kept)), None)
        if match is None:
            left.append(item)
        else:
            del rest[match]
    return left, rest


def _without_alike(items: Sequence[Node], others: Sequence[Node]) -> list[Node]:
    """The items without those that are written alike in the others."""
    counts = Counter(map(_key, others))
    left = []
    for item in items:
        key = _key(item)
        if counts[key]:
            counts[key] -= 1
        else:
            left.append(item)
    return left


def _key(item: Node) -> object:
    """What items that are written alike share; numbers their value."""
    if isinstance(item, Number):
        return item.value.as_integer_ratio()  # quicker to hash than the fraction
    return item


def _bounded(count: int) -> None:
    if count > _MOST_PAIRED:
        raise OutOfBudget


def _undecided(judge: Structures, left: list[Node], rest: list[Node]) -> Decision:
    """Undecided when each of what is left may have a partner; which one, no pair can settle."""
    before = len(judge.open)
    rows = [[judge.same(item, kept) != "no" for kept in rest] for item in left]
    del judge.open[before:]
    if not all(map(any, rows)) or not all(map(any, zip(*rows, strict=True))):
        return "no"
    judge.settles = False
    return "undecided"
