"""Trees to forms: sums, products and powers; functions have rooms of their own."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Final

from evalsi_pack_rl.math_equiv.canonical import functions
from evalsi_pack_rl.math_equiv.canonical.algebra import ONE, ZERO, Algebra, Form
from evalsi_pack_rl.math_equiv.canonical.atoms import Atom
from evalsi_pack_rl.math_equiv.canonical.budget import Budget, Unsupported
from evalsi_pack_rl.math_equiv.canonical.enclosing import sign_of
from evalsi_pack_rl.math_equiv.canonical.exponentials import exponential, power_of
from evalsi_pack_rl.math_equiv.canonical.roots import rational_power
from evalsi_pack_rl.math_equiv.canonical.signs import absolute
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Base,
    Call,
    Constant,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Sum,
    Symbol,
)

__all__ = ["Reader"]


class Reader(Algebra):
    """Reads the trees of one comparison into forms over the same atoms.

    Attributes:
        arcs: the simple values of arc functions, once they are needed.
    """

    __slots__ = ("arcs",)

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)
        self.arcs: dict[str, dict[Hashable, Fraction]] = {}

    def read(self, node: Node) -> Form:
        """The form of an expression.

        Raises:
            Undefined: when it has no value.
            Unsupported: when it has no form here.
            OutOfBudget: when it would cost too much.
        """
        kind = type(node)
        if kind is Number:
            assert isinstance(node, Number)
            return self.number(node.value)
        if isinstance(node, Symbol):
            return self.atom(self.add_atom("symbol", node.name))
        if isinstance(node, Sum):
            total = ZERO
            for term in node.terms:
                total = self.add(total, self.read(term))
            return total
        if isinstance(node, Product):
            product = self.read(node.factors[0])
            for factor in node.factors[1:]:
                product = self.multiply(product, self.read(factor))
            return product
        if isinstance(node, Power):
            return self._power(node)
        return self._other(node)

    def _other(self, node: Node) -> Form:
        self.budget.spend(1)
        if isinstance(node, Constant):
            return self.atom(self.constant(node.name))
        if isinstance(node, Call):
            return functions.read(self, node)
        if isinstance(node, Quantity) and node.unit == "%":
            return self.multiply(self.read(node.value), self.number(Fraction(1, 100)))
        if isinstance(node, Base):
            return self.number(int(node.digits, node.base))
        raise Unsupported

    def constant(self, name: str) -> Atom:
        """The atom of `pi`, `e` or `i`."""
        if name not in {"pi", "e", "i"}:
            raise Unsupported
        known = self.find(name, None)
        if known is not None:
            return known
        atom = self.add_atom(name, None, positive=name != "i")
        if name == "i":
            self.replace(atom, 2, _MINUS_ONE)
        return atom

    def _power(self, node: Power) -> Form:
        exponent = self.read(node.exponent)
        value = exponent.constant()
        if value is not None and value.denominator == 1:
            return self.whole_power(self.read(node.base), int(value))
        if isinstance(node.base, Constant) and node.base.name == "e":
            return exponential(self, exponent)
        base = self.read(node.base)
        if value is None:
            return power_of(self, base, exponent)
        return ONE if base == ONE else self._fractional(node.base, base, value)

    def _fractional(self, node: Node, base: Form, exponent: Fraction) -> Form:
        """A power that is no whole number; a power of a power is one power, with its sign."""
        inner = self.read(node.exponent).constant() if isinstance(node, Power) else None
        if inner is None or not isinstance(node, Power):
            return rational_power(self, base, exponent, node)
        # (-2)^3 under a root is not (-2)^(3/2), and i^2 under a root is not |i|.
        if self.complex_places or sign_of(node.base, self.budget) == -1:
            return rational_power(self, base, exponent, node)
        base, node = self.read(node.base), node.base
        if inner.numerator % 2 == 0 and exponent.denominator % 2 == 0:
            base = absolute(self, base, node)
        exponent *= inner
        if exponent.denominator == 1:
            return self.whole_power(base, int(exponent))
        return self._fractional(node, base, exponent)


_MINUS_ONE: Final = {0: -1}
