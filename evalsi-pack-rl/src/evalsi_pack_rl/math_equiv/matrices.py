"""Literal matrices put together: sums, multiples, products, powers and determinants, tree to tree.

Entries become sums and products of the entries that were written; nothing is computed here, so a
comparison of the results decides. Sizes are bounded before anything is put together.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import chain
from typing import Final, TypeAlias

from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Matrix,
    Node,
    Number,
    Power,
    Product,
    Sum,
)

__all__ = ["evaluated"]

_MOST_ENTRIES: Final = 36
_MOST_POWER: Final = 4
_MOST_DETERMINANT: Final = 4
_MINUS: Final = Number(Fraction(-1))

Rows: TypeAlias = tuple[tuple[Node, ...], ...]


class _Unfit(Exception):  # noqa: N818 - it never leaves the room
    """Shapes that do not go together, or are too large."""


def evaluated(node: Node) -> Node:
    """The matrix, or the determinant, that an expression of literal matrices stands for.

    The node itself where it holds none, or where shapes do not fit or are large.
    """
    try:
        return _value(node)
    except _Unfit:
        return node


def _value(node: Node) -> Node:
    match node:
        case Matrix(rows, "determinant") | Call("det", (Matrix(rows, "matrix"),)):
            return _determinant(rows)
        case Sum(terms):
            return _sum(tuple(map(_value, terms)))
        case Product(factors):
            return _product(tuple(map(_value, factors)))
        case Power(Matrix() as base, Number(exponent)):
            return _power(base, exponent)
    return node


def _sum(terms: tuple[Node, ...]) -> Node:
    matrices = [term for term in terms if isinstance(term, Matrix)]
    if not matrices:
        return Sum(terms)
    shapes = {_shape(matrix.rows) for matrix in matrices}
    if len(matrices) != len(terms) or len(shapes) != 1:
        raise _Unfit
    return Matrix(
        tuple(
            tuple(map(Sum, zip(*rows, strict=True)))
            for rows in zip(*(matrix.rows for matrix in matrices), strict=True)
        )
    )


def _product(factors: tuple[Node, ...]) -> Node:
    matrices = [factor for factor in factors if isinstance(factor, Matrix)]
    if not matrices:
        return Product(factors)
    rows = reduce(_times, (matrix.rows for matrix in matrices))
    scalars = [factor for factor in factors if not isinstance(factor, Matrix)]
    if not scalars:
        return Matrix(rows)
    return Matrix(tuple(tuple(Product((*scalars, entry)) for entry in row) for row in rows))


def _power(base: Matrix, exponent: Fraction) -> Node:
    if exponent.denominator != 1 or not 1 <= exponent <= _MOST_POWER:
        raise _Unfit
    return Matrix(reduce(_times, [base.rows] * int(exponent)))


def _times(left: Rows, right: Rows) -> Rows:
    (height, inner), (other, width) = _shape(left), _shape(right)
    if inner != other or height * width > _MOST_ENTRIES:
        raise _Unfit
    columns = tuple(zip(*right, strict=True))
    return tuple(tuple(_dot(row, column) for column in columns) for row in left)


def _dot(row: tuple[Node, ...], column: tuple[Node, ...]) -> Node:
    products = tuple(map(Product, zip(row, column, strict=True)))
    return products[0] if len(products) == 1 else Sum(products)


def _determinant(rows: Rows) -> Node:
    height, width = _shape(rows)
    if height != width or height > _MOST_DETERMINANT:
        raise _Unfit
    if height == 1:
        return rows[0][0]
    terms = []
    for column, entry in enumerate(rows[0]):
        rest = _determinant(tuple(row[:column] + row[column + 1 :] for row in rows[1:]))
        terms.append(Product((_MINUS, entry, rest) if column % 2 else (entry, rest)))
    return Sum(tuple(terms))


def _shape(rows: Rows) -> tuple[int, int]:
    widths = {len(row) for row in rows}
    entries = list(chain.from_iterable(rows))
    if len(widths) != 1 or not 0 < len(entries) <= _MOST_ENTRIES:
        raise _Unfit
    if any(isinstance(entry, Matrix) for entry in entries):
        raise _Unfit
    return len(rows), widths.pop()
