"""Exact values of small expressions, and what a linear inequality solves to."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from evalsi_pack_rl.math_equiv.syntax.tree import Call, Node, Number, Power, Product, Sum, Symbol

__all__ = ["linear", "rational", "replaced"]

_MOST_BITS: Final = 4000
_LARGEST_EXPONENT: Final = 64


def rational(node: Node) -> Fraction | None:
    """The value of an expression that is rational by its form; None for others, or a large one."""
    line = linear(node, "")
    return None if line is None else line[1]


def linear(node: Node, name: str) -> tuple[Fraction, Fraction] | None:
    """Slope and constant of an expression in one variable; None when it is not linear in it."""
    match node:
        case Number(value=value):
            return Fraction(0), value
        case Symbol(name=found):
            return (Fraction(1), Fraction(0)) if found == name else None
        case Sum(terms=terms):
            lines = [linear(term, name) for term in terms]
            return _bounded(_sum(lines))
        case Product(factors=factors):
            return _bounded(_product([linear(factor, name) for factor in factors]))
        case Power(base=base, exponent=Number(value=exponent)):
            return _bounded(_power(linear(base, name), exponent))
        case _:
            return None


def replaced(node: Node, values: Mapping[str, Number]) -> Node:
    """The expression with numbers for its variables."""
    match node:
        case Symbol(name=name):
            return values.get(name, node)
        case Sum(terms=terms):
            return Sum(tuple(replaced(term, values) for term in terms))
        case Product(factors=factors):
            return Product(tuple(replaced(factor, values) for factor in factors))
        case Power(base=base, exponent=exponent):
            return Power(replaced(base, values), replaced(exponent, values))
        case Call(name=name, arguments=arguments):
            return Call(name, tuple(replaced(argument, values) for argument in arguments))
        case _:
            return node


Line = tuple[Fraction, Fraction] | None


def _sum(lines: list[Line]) -> Line:
    slope = constant = Fraction(0)
    for line in lines:
        if line is None:
            return None
        slope, constant = slope + line[0], constant + line[1]
    return slope, constant


def _product(lines: list[Line]) -> Line:
    slope, constant = Fraction(0), Fraction(1)
    for line in lines:
        if line is None or (slope and line[0]):
            return None
        slope, constant = slope * line[1] + constant * line[0], constant * line[1]
    return slope, constant


def _power(line: Line, exponent: Fraction) -> Line:
    if line is None or exponent.denominator != 1 or abs(exponent) > _LARGEST_EXPONENT:
        return None
    if exponent == 1:
        return line
    if line[0] or (exponent < 0 and not line[1]):
        return None
    if line[1].numerator.bit_length() * abs(exponent) > _MOST_BITS:
        return None
    return Fraction(0), line[1] ** int(exponent)


def _bounded(line: Line) -> Line:
    if line is None:
        return None
    bits = max(abs(part.numerator).bit_length() + part.denominator.bit_length() for part in line)
    return line if bits <= _MOST_BITS else None
