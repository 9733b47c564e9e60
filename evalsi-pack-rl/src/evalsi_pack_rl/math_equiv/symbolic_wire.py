"""Trees as plain data, for the way to a worker."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from evalsi_pack_rl.math_equiv.syntax import tree

if TYPE_CHECKING:
    from evalsi.core.results import JSON
    from evalsi_pack_rl.math_equiv.syntax.tree import Node

__all__ = ["decoded", "encoded"]

_KINDS: Final = {
    name: kind for name, kind in vars(tree).items() if isinstance(kind, type) and is_dataclass(kind)
}
_FIELDS: Final = {kind: tuple(field.name for field in fields(kind)) for kind in _KINDS.values()}


def encoded(node: Node) -> JSON:
    """A tree as lists: the name of its kind, then its fields."""
    return _plain(node)


def decoded(data: JSON) -> Node:
    """The tree again; raises `TypeError` or `ValueError` for what `encoded` did not give."""
    node: Node = _whole(data)
    return node


def _plain(value: Any) -> JSON:
    if isinstance(value, tuple):
        return ["", *map(_plain, value)]
    if isinstance(value, Fraction):
        # Hexadecimal: Python refuses to read decimal integers of more than 4,300 digits.
        return ["/", format(value.numerator, "x"), format(value.denominator, "x")]
    names = _FIELDS.get(type(value))
    if names is None:
        plain: JSON = value
        return plain
    return [type(value).__name__, *(_plain(getattr(value, name)) for name in names)]


def _whole(data: Any) -> Any:
    if not isinstance(data, list):
        return data
    kind, *parts = data
    if kind == "":
        return tuple(map(_whole, parts))
    if kind == "/":
        return Fraction(*(int(part, 16) for part in parts))
    return _KINDS[kind](*map(_whole, parts))
