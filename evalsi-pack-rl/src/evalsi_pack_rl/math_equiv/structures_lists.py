r"""Bare lists such as `1, 2`, `x = 3 \text{ or } x = 5` and `\pm 3`: values in any order.

Values of one name are its solutions, `x = 3, x = 5`; values of several names are coordinates, and
then their order counts where only one side has the names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeGuard

from evalsi_pack_rl.math_equiv.structures_items import same_items, same_multiset
from evalsi_pack_rl.math_equiv.structures_names import is_name
from evalsi_pack_rl.math_equiv.syntax.building import negative
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Node,
    NumberSet,
    PlusMinus,
    Power,
    Product,
    Relation,
    Sequence,
    Set,
    Sum,
    Symbol,
    Words,
)
from evalsi_pack_rl.math_equiv.verdict import Decision

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.structures import Structures

__all__ = ["as_list", "branches", "domain_rule", "list_rule", "members", "spread"]

_BETWEEN_WORDS: Final = re.compile(r",(?: and\b)?")
_SHORTEST_SQUARE: Final = 3
"""Items from which square brackets are a list: of two, they are an interval."""


def list_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    """Compares a bare list with another, or with a tuple; None without any list."""
    first, second = as_list(one), as_list(other)
    if first is None:
        if second is None:
            return None
        one, other, first, second = other, one, second, first
    if second is not None:
        hedge = _is_hedge(one) != _is_hedge(other)
        return "no" if hedge else _lists(judge, first, second)
    if isinstance(other, Set) or (isinstance(other, Relation) and other.operators == ("in",)):
        return None
    if not _is_tuple(other) or _is_or(one) or "missing-brackets" not in judge.lenient:
        return "no"
    return same_items(judge, _values(first), other.items)


def as_list(node: Node) -> tuple[Node, ...] | None:
    """The items of a bare list, each with its own name if it has one; None for other nodes."""
    if isinstance(node, Relation) and node.operators == ("=",):
        name, value = node.sides
        if isinstance(value, Sequence) and not value.left and is_name(name):
            return tuple(Relation(("=",), (name, item)) for item in spread(value.items))
        if isinstance(name, Sequence) and isinstance(value, Sequence):
            return _coordinates(name, value)
        return None
    if isinstance(node, Words) and "," in node.text:
        return tuple(Words(part.strip()) for part in _BETWEEN_WORDS.split(node.text))
    if not isinstance(node, Sequence) or node.left:
        return None
    return spread(_named_alike(node.items))


def members(node: Node) -> tuple[Node, ...] | None:
    """The items of a list that may be a set: values without a name, or of one name."""
    items = as_list(node)
    return None if items is None or len(_names(items)) > 1 else items


def branches(node: Node) -> Node | None:
    r"""The two values of a node with `\pm` as a list; None without `\pm`."""
    if not _has_branches(node):
        return None
    return Sequence((_branch(node, upper=True), _branch(node, upper=False)), joint="and")


def _is_tuple(node: Node) -> TypeGuard[Sequence]:
    if not isinstance(node, Sequence):
        return False
    brackets = node.left + node.right
    return brackets in {"()", "<>"} or (brackets == "[]" and len(node.items) >= _SHORTEST_SQUARE)


def _is_hedge(node: Node) -> bool:
    """`A or C`: of letters and words "or" states none; of numbers it may list solutions."""
    if not isinstance(node, Sequence) or not _is_or(node):
        return False
    return all(isinstance(item, Symbol | Words) for item in node.items)


def _is_or(node: Node) -> bool:
    return isinstance(node, Sequence) and node.joint == "or"


def spread(items: tuple[Node, ...]) -> tuple[Node, ...]:
    r"""The items, with two for each that has `\pm`."""
    found: list[Node] = []
    for item in items:
        both = branches(item)
        found += both.items if isinstance(both, Sequence) else (item,)
    return tuple(found)


def domain_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    r"""Compares without `k \in \mathbb{Z}` behind a value, where only one side has it."""
    first, second = _without_domain(one), _without_domain(other)
    if (first is None) == (second is None):
        return None
    return judge.same(first or one, second or other)


def _without_domain(node: Node) -> Node | None:
    if not isinstance(node, Sequence) or node.left or not _is_domain(node.items[-1]):
        return None
    rest = tuple(item for item in node.items if not _is_domain(item))
    if not rest:
        return None
    return rest[0] if len(rest) == 1 else Sequence(rest, joint=node.joint)


def _is_domain(item: Node) -> bool:
    return (
        isinstance(item, Relation)
        and item.operators == ("in",)
        and isinstance(item.sides[0], Symbol)
        and isinstance(item.sides[1], NumberSet)
    )


def _lists(judge: Structures, one: tuple[Node, ...], other: tuple[Node, ...]) -> Decision:
    names, also = _names(one), _names(other)
    if bool(names) == bool(also):
        return same_multiset(judge, one, other)
    ordered = len(names | also) > 1
    match = same_items if ordered else same_multiset
    return match(judge, _values(one), _values(other))


def _names(items: tuple[Node, ...]) -> set[Node]:
    """The names of items that all have one, without subscripts; empty when one has none."""
    names = {_base(item.sides[0]) for item in items if isinstance(item, Relation)}
    return names if all(map(_is_named, items)) else set()


def _base(name: Node) -> Node:
    """`x` of `x_1`: solutions are numbered."""
    return Symbol(name.name.partition("_")[0]) if isinstance(name, Symbol) else name


def _values(items: tuple[Node, ...]) -> tuple[Node, ...]:
    if not _names(items):
        return items
    return tuple(item.sides[-1] for item in items if isinstance(item, Relation))


def _is_named(item: Node) -> bool:
    return isinstance(item, Relation) and item.operators == ("=",) and is_name(item.sides[0])


def _named_alike(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """`n = 2, 3, 4` with its name before each value."""
    first = items[0]
    if not isinstance(first, Relation) or not _is_named(first):
        return items
    if any(isinstance(item, Relation) for item in items[1:]):
        return items
    return (first, *(Relation(("=",), (first.sides[0], item)) for item in items[1:]))


def _coordinates(names: Sequence, values: Sequence) -> tuple[Node, ...] | None:
    if len(names.items) != len(values.items) or not all(map(is_name, names.items)):
        return None
    pairs = zip(names.items, values.items, strict=True)
    return tuple(Relation(("=",), pair) for pair in pairs)


def _has_branches(node: Node) -> bool:
    if isinstance(node, PlusMinus):
        return True
    return any(map(_has_branches, _children(node)))


def _children(node: Node) -> tuple[Node, ...]:
    match node:
        case Sum(terms=parts) | Product(factors=parts) | Call(arguments=parts):
            return parts
        case Relation(sides=parts):
            return parts
        case Sequence(items=parts, left=left) if left:
            return parts
        case Power(base=base, exponent=exponent):
            return (base, exponent)
        case _:
            return ()


def _branch(node: Node, *, upper: bool) -> Node:
    if isinstance(node, PlusMinus):
        right = _branch(node.right, upper=upper)
        right = right if upper else negative(right)
        return right if node.left is None else Sum((_branch(node.left, upper=upper), right))
    return _rebuilt(node, lambda part: _branch(part, upper=upper))


def _rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:  # noqa: PLR0911 - one a kind
    match node:
        case Sum(terms=parts):
            return Sum(tuple(map(change, parts)))
        case Product(factors=parts):
            return Product(tuple(map(change, parts)))
        case Call(name=name, arguments=parts):
            return Call(name, tuple(map(change, parts)))
        case Relation(operators=operators, sides=parts):
            return Relation(operators, tuple(map(change, parts)))
        case Sequence(items=parts, left=left) if left:
            return Sequence(tuple(map(change, parts)), left, node.right, node.joint)
        case Power(base=base, exponent=exponent):
            return Power(change(base), change(exponent))
        case _:
            return node
