"""An order of trees, so that a pair is worked on the same way whichever side comes first."""

from __future__ import annotations

from evalsi_pack_rl.math_equiv.syntax.tree import Node

__all__ = ["order"]


def order(one: Node, other: Node) -> int:
    """-1, 0 or 1: the order of two trees by kind, size and content; 0 only for equal trees."""
    return _order(one, other)


def _order(one: object, other: object) -> int:
    if one is other:
        return 0
    if type(one) is not type(other):
        return -1 if type(one).__name__ < type(other).__name__ else 1
    if isinstance(one, tuple) and isinstance(other, tuple):
        return _order_of_items(one, other)
    slots = getattr(one, "__slots__", None)
    if slots is None or not hasattr(one, "__dataclass_fields__"):
        return 0 if one == other else -1 if one < other else 1  # type: ignore[operator]
    for name in slots:
        result = _order(getattr(one, name), getattr(other, name))
        if result:
            return result
    return 0


def _order_of_items(one: tuple[object, ...], other: tuple[object, ...]) -> int:
    if len(one) != len(other):
        return -1 if len(one) < len(other) else 1
    for left, right in zip(one, other, strict=True):
        result = _order(left, right)
        if result:
            return result
    return 0
