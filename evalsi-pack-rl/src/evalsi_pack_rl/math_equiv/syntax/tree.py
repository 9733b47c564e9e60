r"""A mathematical text as a tree: the only form in which values are compared or computed.

Nodes are frozen and hashable; two nodes are equal when they were written alike, which says nothing
about their values. A quotient is a product with a power of -1, a difference a sum with a product
of -1, a root a power with the exponent 1/n; numbers in front of them are folded, so that `-3` and
`\frac{1}{2}` are one Number each. Nothing that could be large is computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

__all__ = [
    "Base",
    "Call",
    "Constant",
    "Difference",
    "Intersection",
    "Matrix",
    "Node",
    "NotParsed",
    "Number",
    "NumberSet",
    "Piecewise",
    "PlusMinus",
    "Power",
    "Product",
    "Quantity",
    "Ratio",
    "Relation",
    "Sequence",
    "Set",
    "SetBuilder",
    "Sum",
    "Symbol",
    "Union",
    "Words",
]


class NotParsed(ValueError):  # noqa: N818 - the name that the rooms agreed on
    """A text that is no mathematics that we read; `code` says why.

    Codes: `empty`, `too-long`, `too-deep`, `too-many-nodes`, `malformed`, `unknown-character`,
    `unknown-command`, `words`. The same text always gives the same code.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Number:
    """A rational number, exactly as written; `exact` is False for one with a decimal point."""

    value: Fraction
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable: `x`, `alpha`, `x_1`, `f'`."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """`pi`, `e`, `i` or `infinity`."""

    name: str


@dataclass(frozen=True, slots=True)
class NumberSet:
    """`reals`, `integers`, `naturals`, `rationals` or `complexes`, with `+`, `-` or `*` behind."""

    name: str


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a language, `even` or `no solution`, with single spaces; also `...` in a list."""

    text: str


@dataclass(frozen=True, slots=True)
class Base:
    """Digits in a base from 2 to 36, such as `2A3` in base 16; every digit is below the base."""

    digits: str
    base: int


@dataclass(frozen=True, slots=True)
class Sum:
    """Two or more terms."""

    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Two or more factors."""

    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Power:
    """A base and its exponent."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function of its arguments.

    `sin` and its kin (`arcsin`, `sinh`, ...), `ln`, `log` (one argument: base 10; two: the base
    comes second), `abs`, `floor`, `ceil`, `factorial`, `double-factorial`, `binomial`,
    `gcd`, `lcm`, `min`, `max`, `mod`, `det`, `sum` and `prod` (of the letter, its first and last
    value, and the term), and any letter that is read as a function: `f`.
    """

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class PlusMinus:
    r"""`left \pm right`, two values; `left` is None for `\pm right`."""

    left: Node | None
    right: Node


@dataclass(frozen=True, slots=True)
class Sequence:
    """Items in order, with their brackets as written: a tuple, an interval, a vector, a list.

    `left` and `right` are one of `( [ <` and `) ] >`, and empty for a bare list. `joint` is what
    stands between the items of a bare list: `,`, `and` or `or` (a comma list that ends in `and`
    or `or` is joined by that word).
    """

    items: tuple[Node, ...]
    left: str = ""
    right: str = ""
    joint: str = ","


@dataclass(frozen=True, slots=True)
class Set:
    """The items between set braces; none for the empty set."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SetBuilder:
    """All `element` for which `condition` holds."""

    element: Node
    condition: Node


@dataclass(frozen=True, slots=True)
class Union:
    """Two or more sets."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Intersection:
    """Two or more sets."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A set without the elements of another."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain such as `0 < x <= 1`: one operator less than sides.

    Operators: `= != < <= > >= in notin subset subseteq approx equiv`.
    """

    operators: tuple[str, ...]
    sides: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Ratio:
    """`3:2`, or a clock time `12:00`."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of one length; `kind` is `matrix` or `determinant`."""

    rows: tuple[tuple[Node, ...], ...]
    kind: str = "matrix"


@dataclass(frozen=True, slots=True)
class Piecewise:
    """Values, each with its condition (Words for `otherwise`)."""

    cases: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with its unit as written: `cm^2`, `%`, `degrees`, `$`, `mod 7`, `apples`."""

    value: Node
    unit: str


Node: TypeAlias = (
    Number
    | Symbol
    | Constant
    | NumberSet
    | Words
    | Base
    | Sum
    | Product
    | Power
    | Call
    | PlusMinus
    | Sequence
    | Set
    | SetBuilder
    | Union
    | Intersection
    | Difference
    | Relation
    | Ratio
    | Matrix
    | Piecewise
    | Quantity
)
