"""Whether two trees are equal, by numbers first and by sympy's proofs then. Runs in a worker.

A clear difference at one point is a no; equal numbers prove nothing, so a yes is a proof of
sympy's: the difference becomes 0. What is neither is undecided.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, starmap
from typing import Final, Literal, TypeAlias

import mpmath
import sympy

from evalsi_pack_rl.math_equiv.symbolic_build import Built, TooLarge, Unsupported, built
from evalsi_pack_rl.math_equiv.symbolic_numeric import (
    WORKING_DIGITS,
    NoValue,
    Value,
    names_of,
    points,
    value_at,
)
from evalsi_pack_rl.math_equiv.syntax import tree
from evalsi_pack_rl.math_equiv.syntax.tree import Node

__all__ = ["Decision", "decide"]

Decision: TypeAlias = Literal["yes", "no", "undecided"]

_DIGITS: Final = 40
"""Digits in which equal values agree; 60 are right."""
_MOST_DENOMINATOR: Final = 10**6
_OPERATORS: Final = frozenset({"<", "<=", "=", "!="})
_MIRRORED: Final = {">": "<", ">=": "<="}


def decide(one: Node, other: Node) -> tuple[Decision, str]:
    """The decision and its reason code."""
    try:
        with mpmath.workdps(WORKING_DIGITS):
            decision = _equal(one, other)
    except TooLarge:
        return "undecided", "too-large"
    except Unsupported:
        return "undecided", "unsupported"
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - what sympy stumbles on is no fault of this worker
        return "undecided", f"backend-error-{type(error).__name__}"
    reasons = {"yes": "equal-symbolic", "no": "different-symbolic", "undecided": "undecided"}
    return decision, reasons[decision]


def _equal(one: Node, other: Node) -> Decision:
    match one, other:
        case tree.Relation(), tree.Relation():
            return _relations(one, other)
        case tree.Matrix(), tree.Matrix():
            return _matrices(one, other)
        case tree.Sequence(), tree.Sequence():
            return _sequences(one, other)
        case tree.Set(items), tree.Set(others):
            return _unordered(items, others)
        case (tree.Quantity(), _) | (_, tree.Quantity()):
            raise Unsupported("a unit")
    return _expressions(one, other)


def _matrices(one: tree.Matrix, other: tree.Matrix) -> Decision:
    if one.kind != "matrix" or other.kind != "matrix":
        raise Unsupported("a determinant")
    if [len(row) for row in one.rows] != [len(row) for row in other.rows]:
        return "no"
    entries, others = (list(chain.from_iterable(matrix.rows)) for matrix in (one, other))
    return _all(list(zip(entries, others, strict=True)))


def _sequences(one: tree.Sequence, other: tree.Sequence) -> Decision:
    if (one.left, one.right) != (other.left, other.right):
        raise Unsupported("brackets")
    if not one.left:
        return _unordered(one.items, other.items)
    if len(one.items) != len(other.items):
        return "no"
    return _all(list(zip(one.items, other.items, strict=True)))


def _all(pairs: Sequence[tuple[Node, Node]]) -> Decision:
    decisions = set(starmap(_equal, pairs))
    return "no" if "no" in decisions else "undecided" if "undecided" in decisions else "yes"


def _unordered(items: Sequence[Node], others: Sequence[Node]) -> Decision:
    """Each item of one side is equal to one of the other side, each of which serves once."""
    if len(items) != len(others):
        raise Unsupported("items that may repeat")
    left = list(others)
    unsure = False
    for item in items:
        decisions = [_equal(item, other) for other in left]
        if "yes" in decisions:
            del left[decisions.index("yes")]
        elif "undecided" in decisions:
            unsure = True
        else:
            return "no"
    return "undecided" if unsure else "yes"


def _expressions(one: Node, other: Node) -> Decision:
    values = list(_values(one, other))
    if _differ(values):
        return "no"
    if any(_is_real(a) != _is_real(b) for a, b in values):
        return "undecided"  # equal where both are real, yet not everywhere that one is
    # Real variables first; what holds for positive ones alone was compared at negative points.
    for positive in (False, True):
        if _proved_zero(built(one, positive=positive) - built(other, positive=positive)):
            return "yes"
        if not names_of(one) | names_of(other):
            break
    return "undecided"


def _differ(values: Sequence[tuple[Value, Value]]) -> bool:
    """Whether some point where both are real, or if there is none any point, tells them apart."""
    real = [(a, b) for a, b in values if _is_real(a) and _is_real(b)]
    return any(starmap(_apart, real or values))


def _is_real(value: Value) -> bool:
    return bool(mpmath.im(value) == 0)


def _values(one: Node, other: Node) -> Iterator[tuple[Value, Value]]:
    for point in points(names_of(one) | names_of(other)):
        with contextlib.suppress(NoValue):
            yield _realised(value_at(one, point)), _realised(value_at(other, point))


def _realised(value: Value) -> Value:
    """Without an imaginary part that is only noise."""
    real, imaginary = mpmath.re(value), mpmath.im(value)
    noise = abs(imaginary) <= abs(real) * mpmath.mpf(10) ** -_DIGITS
    return mpmath.mpc(real) if noise else value


def _apart(a: Value, b: Value) -> bool:
    size, least = max(abs(a), abs(b)), mpmath.mpf(10) ** -_DIGITS
    if size < least and 0 in {a, b}:  # all digits of the one may have cancelled
        return False
    return bool(abs(a - b) > size * least)


def _relations(one: tree.Relation, other: tree.Relation) -> Decision:
    """Equal up to swapped sides and a constant factor, which is positive for an order."""
    if len(one.operators) != 1 or len(other.operators) != 1:
        raise Unsupported("a chain")
    (operator, a), (other_operator, b) = map(_gathered, (one, other))
    if operator != other_operator:
        return "no"
    ratios = [x / y for x, y in _values(a, b) if x != 0 and y != 0]
    if any(_apart(ratio, ratios[0]) for ratio in ratios):
        return "no"
    if ratios and operator in {"<", "<="} and mpmath.re(ratios[0]) < 0:
        return "no"
    difference, other_difference = built(a), built(b)
    for factor in _factors(ratios, difference / other_difference):
        if _proved_zero(difference - factor * other_difference):
            return "yes"
    return "undecided"


def _factors(ratios: Sequence[Value], quotient: Built) -> Iterator[Built]:
    """What a constant quotient may be: the fraction that its value is near, or what it becomes."""
    if not ratios:
        return
    scaled = int(mpmath.nint(mpmath.re(ratios[0]) * 10**_DIGITS))
    near = Fraction(scaled, 10**_DIGITS).limit_denominator(_MOST_DENOMINATOR)
    if near and not _apart(ratios[0], mpmath.mpf(near.numerator) / near.denominator):
        yield sympy.Rational(near.numerator, near.denominator)
        return
    for simplified in _simplified(quotient, (sympy.cancel, sympy.radsimp, sympy.simplify)):
        if simplified.is_number and simplified.is_finite and not simplified.is_zero:
            yield simplified


def _gathered(relation: tree.Relation) -> tuple[str, Node]:
    """The relation as one side against 0, with `<` or `<=` for an order."""
    (operator,), (left, right) = relation.operators, relation.sides
    if operator in _MIRRORED:
        operator, left, right = _MIRRORED[operator], right, left
    if operator not in _OPERATORS:
        raise Unsupported(operator)
    return operator, tree.Sum((left, tree.Product((tree.Number(Fraction(-1)), right))))


def _proved_zero(difference: Built) -> bool:
    """Whether sympy turns the difference into 0, the cheap steps first."""
    if any(simplified == 0 for simplified in _simplified(difference, _STEPS)):
        return True
    with contextlib.suppress(*_GIVES_UP):
        return difference.equals(0) is True
    return False


def _simplified(expression: Built, steps: Sequence[Callable[[Built], Built]]) -> Iterator[Built]:
    yield expression
    for step in steps:
        with contextlib.suppress(*_GIVES_UP):
            yield step(expression)


def _numerator(expression: Built) -> Built:
    return sympy.expand(sympy.numer(sympy.together(expression)))


def _exponentials(expression: Built) -> Built:
    """Circular and hyperbolic functions of anything are quotients in a few exponentials."""
    return sympy.powsimp(_numerator(sympy.expand(expression.rewrite(sympy.exp))))


def _tangent(expression: Built) -> Built:
    """The tangent of a small number made of arcs, which is 0 where the number is."""
    if not expression.is_number or not expression.has(sympy.atan, sympy.asin, sympy.acos):
        return expression
    if abs(sympy.N(expression, 30)) > 1:
        return expression
    return sympy.simplify(sympy.expand_trig(sympy.tan(expression)))


_STEPS: Final = (
    sympy.expand,
    _numerator,
    sympy.radsimp,
    sympy.trigsimp,
    sympy.expand_log,
    sympy.powsimp,
    _tangent,
    _exponentials,
    sympy.simplify,
)
_GIVES_UP: Final = (ArithmeticError, AttributeError, NotImplementedError, TypeError, ValueError)
"""What sympy raises where a step cannot go on; the next one may."""
