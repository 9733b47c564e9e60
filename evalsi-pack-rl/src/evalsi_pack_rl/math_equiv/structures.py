"""Trees compared by their structure, down to leaves that are expressions.

Tuples and intervals keep their order and brackets, sets and lists of solutions do not; two values
hide in one plus-minus; an equation may state a value. Every rule treats its two sides alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from evalsi_pack_rl.math_equiv.canonical import OutOfBudget
from evalsi_pack_rl.math_equiv.leaves import Leaves
from evalsi_pack_rl.math_equiv.structures_items import same_items, same_members, same_multiset
from evalsi_pack_rl.math_equiv.structures_lists import (
    branches,
    domain_rule,
    list_rule,
    members,
    spread,
)
from evalsi_pack_rl.math_equiv.structures_quantities import based_rule, quantity_rule
from evalsi_pack_rl.math_equiv.structures_regions import is_region, region_rule
from evalsi_pack_rl.math_equiv.structures_relations import relation_rule
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Constant,
    Difference,
    Intersection,
    Matrix,
    Node,
    Number,
    Piecewise,
    Power,
    Product,
    Ratio,
    Set,
    SetBuilder,
    Sum,
    Symbol,
    Union,
    Words,
)
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Sequence as Items,
)
from evalsi_pack_rl.math_equiv.verdict import Decision, Leniency, Verdict
from evalsi_pack_rl.math_equiv.words import text_key

__all__ = ["Structures"]

_EXPRESSIONS: Final = (Number, Symbol, Constant, Sum, Product, Power, Call)
_CLOCK_DIGITS: Final = 10

_MOST_STEPS: Final = 3000
_MOST_LEAVES: Final = 400
"""What a comparison may cost: pairs of trees, and pairs of expressions among them."""

_CODES: Final = {"yes": "equal", "no": "different"}
_KINDS: Final = {"canonical": "expression", "structure": "structure"}


class Structures:
    """One comparison of two trees.

    Args:
        lenient: the leniencies that may be used.
    """

    __slots__ = ("_leaf", "_leaves", "_steps", "known", "lenient", "nested", "open", "settles")

    def __init__(self, lenient: frozenset[Leniency]) -> None:
        self._leaf = Leaves()
        self._steps = _MOST_STEPS
        self._leaves = _MOST_LEAVES
        self.known: dict[tuple[Node, Node], bool] = {}
        self.nested = 0
        self.lenient = lenient
        self.open: list[tuple[Node, Node]] = []
        self.settles = True

    def verdict(self, one: Node, other: Node) -> Verdict:
        """The verdict on two trees, as far as the budget goes."""
        simple = isinstance(one, _EXPRESSIONS) and isinstance(other, _EXPRESSIONS)
        tier = "canonical" if simple else "structure"
        try:
            decision = self.same(one, other)
        except OutOfBudget:
            return Verdict("no", tier, "out-of-budget")
        if decision != "undecided":
            return Verdict(decision, tier, f"{_CODES[decision]}-{_KINDS[tier]}")
        pairs = tuple(self.open) if self.settles else ((one, other),)
        return Verdict(decision, tier, "undecided", pairs)

    def same(self, one: Node, other: Node) -> Decision:
        """Whether two trees state the same; pairs of leaves that stay undecided are kept open.

        Raises:
            OutOfBudget: always for the same trees.
        """
        if isinstance(one, Number) and isinstance(other, Number):
            return "yes" if one.value == other.value else "no"
        if one == other:
            return "yes"
        self._steps -= 1
        if self._steps < 0:
            raise OutOfBudget
        expressions = isinstance(one, _EXPRESSIONS) and isinstance(other, _EXPRESSIONS)
        for rule in (_plus_minus_rule,) if expressions else _RULES:
            decision = rule(self, one, other)
            if decision is not None:
                return decision
        return self._expressions(one, other) if expressions else "no"

    def either(self, *tries: Callable[[], Decision]) -> Decision:
        """Yes when one of the tries says so; undecided when one might."""
        undecided = 0
        kept = len(self.open)
        for attempt in tries:
            before = len(self.open)
            decision = attempt()
            if decision == "yes":
                del self.open[kept:]
                return "yes"
            if decision == "undecided":
                undecided += 1
            else:
                del self.open[before:]
        if undecided > 1:
            self.settles = False
        return "undecided" if undecided else "no"

    def every(self, pairs: Sequence[tuple[Node, Node]]) -> Decision:
        """Yes when all the pairs are the same, no when one is not."""
        undecided = False
        for one, other in pairs:
            decision = self.same(one, other)
            if decision == "no":
                return "no"
            undecided |= decision == "undecided"
        return "undecided" if undecided else "yes"

    def _expressions(self, one: Node, other: Node) -> Decision:
        if "unevaluated" not in self.lenient and isinstance(one, Number) != isinstance(
            other, Number
        ):
            return "no"
        self._leaves -= 1
        if self._leaves < 0:
            raise OutOfBudget
        decision = self._leaf(one, other)
        if decision == "undecided":
            self.open.append((one, other))
        return decision


def _plus_minus_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    first, second = branches(one), branches(other)
    if first is None and second is None:
        return None
    return judge.same(first or one, second or other)


def _set_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    if isinstance(other, Set) and not isinstance(one, Set):
        one, other = other, one
    if not isinstance(one, Set):
        return None
    items = spread(one.items)
    if isinstance(other, Set):
        return same_members(judge, items, spread(other.items))
    if is_region(other):
        return None
    listed = members(other)
    if listed is not None:
        return same_members(judge, items, listed)
    is_value = isinstance(other, (*_EXPRESSIONS, Items))
    if len(items) != 1 or not is_value or isinstance(items[0], Set):
        return None
    return judge.same(items[0], other)


def _tuple_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    if not isinstance(one, Items) or not isinstance(other, Items) or not one.left or not other.left:
        return None
    if (one.left, one.right) != (other.left, other.right):
        return "no"
    return same_items(judge, one.items, other.items)


def _parts_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    """Unions, intersections, differences and set builders that are no regions of the real line."""
    if type(one) is not type(other):
        return None
    if isinstance(one, Union | Intersection) and isinstance(other, Union | Intersection):
        return same_multiset(judge, one.parts, other.parts)
    if isinstance(one, Difference) and isinstance(other, Difference):
        return judge.every([(one.left, other.left), (one.right, other.right)])
    if isinstance(one, SetBuilder) and isinstance(other, SetBuilder):
        return judge.every([(one.element, other.element), (one.condition, other.condition)])
    if isinstance(one, Piecewise) and isinstance(other, Piecewise):
        return same_items(judge, _flat(one.cases), _flat(other.cases))
    return None


def _matrix_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    kinds = {node.kind for node in (one, other) if isinstance(node, Matrix)}
    first, second = _rows(one), _rows(other)
    if first is None or second is None or not kinds:
        return None
    if len(kinds) > 1 or [len(row) for row in first] != [len(row) for row in second]:
        return "no"
    return same_items(judge, _flat(first), _flat(second))


def _ratio_rule(judge: Structures, one: Node, other: Node) -> Decision | None:
    if not isinstance(one, Ratio) or not isinstance(other, Ratio):
        return None
    if len(one.parts) != len(other.parts) or (_is_clock(one) and _is_clock(other)):
        return same_items(judge, one.parts, other.parts)
    first, second = one.parts[0], other.parts[0]
    pairs = zip(one.parts[1:], other.parts[1:], strict=True)
    return judge.every([(Product((first, b)), Product((second, a))) for a, b in pairs])


def _words_rule(judge: Structures, one: Node, other: Node) -> Decision | None:  # noqa: ARG001
    if isinstance(one, Words) and isinstance(other, Words) and "," not in one.text + other.text:
        return "yes" if text_key(one.text) == text_key(other.text) else "no"
    return None


def _is_clock(ratio: Ratio) -> bool:
    last = ratio.parts[-1]
    return isinstance(last, Number) and last.value >= _CLOCK_DIGITS


def _rows(node: Node) -> tuple[tuple[Node, ...], ...] | None:
    if isinstance(node, Matrix):
        return node.rows
    rows = node.items if isinstance(node, Items) and node.left == "[" else ()
    inner = [row.items for row in rows if isinstance(row, Items) and row.left == "["]
    return tuple(inner) if inner and len(inner) == len(rows) else None


def _flat(rows: Sequence[Sequence[Node]]) -> tuple[Node, ...]:
    return tuple(item for row in rows for item in row)


Rule = Callable[[Structures, Node, Node], Decision | None]

_RULES: Final[tuple[Rule, ...]] = (
    _tuple_rule,
    _set_rule,
    quantity_rule,
    domain_rule,
    _plus_minus_rule,
    _words_rule,
    region_rule,
    list_rule,
    relation_rule,
    _matrix_rule,
    _ratio_rule,
    _parts_rule,
    based_rule,
)
