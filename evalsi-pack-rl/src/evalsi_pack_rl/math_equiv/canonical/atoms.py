"""What polynomials are over: letters, constants, primes under roots, values of functions.

An atom may have a rule that replaces one of its powers, so that equal expressions become the same
polynomial: the square root of 2 squared is 2, the sine squared is 1 minus the cosine squared.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, NamedTuple

from evalsi_pack_rl.math_equiv.canonical.budget import Budget
from evalsi_pack_rl.math_equiv.canonical.polynomials import UNIT, WIDTH, Polynomial, power

__all__ = ["Atom", "Atoms", "Rule"]

_HALF: Final = 1 << (WIDTH - 1)
_MASK: Final = (1 << WIDTH) - 1
_COMPLEX: Final = frozenset({"i", "turn"})


class Atom(NamedTuple):
    """One atom.

    Attributes:
        kind: `symbol`, `pi`, `e`, `i`, `prime`, `root`, `ln`, `exp`, `turn` (a complex
            exponential), `sin`, `cos`, `abs`, ...
        place: which field of a monomial is its exponent.
        unit: the monomial that is this atom.
        is_positive: whether its value is never negative.
        detail: what the kind needs: the prime, the polynomial, the argument.
    """

    kind: str
    place: int
    unit: int
    is_positive: bool
    detail: object


class Rule(NamedTuple):
    """The power of an atom, in units, that is replaced wherever an exponent reaches it."""

    shift: int
    step: int
    value: Polynomial


class Atoms:
    """The atoms of one comparison, numbered as they come.

    Whether a rule applies to a monomial is one addition and one bitwise `and`: `_offset` takes the
    steps of all rules off their fields, and then the highest bit of each field, which `_marks`
    has, says which exponents are still at least 0.
    """

    __slots__ = (
        "_bias",
        "_known",
        "_marks",
        "_offset",
        "budget",
        "complex_places",
        "listed",
        "rules",
    )

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.listed: list[Atom] = []
        self.rules: dict[int, Rule] = {}
        self.complex_places: list[int] = []
        self._known: dict[Hashable, Atom] = {}
        self._bias = 0
        self._offset = 0
        self._marks = 0

    def find(self, kind: str, key: Hashable) -> Atom | None:
        """The atom, if it is there."""
        return self._known.get((kind, key))

    def add_atom(
        self, kind: str, key: Hashable, *, positive: bool = False, detail: object = None
    ) -> Atom:
        """A new atom, or the one that has this kind and key."""
        known = self._known.get((kind, key))
        if known is not None:
            return known
        place = len(self.listed)
        self.budget.spend(4 + place)
        if kind in _COMPLEX:
            self.complex_places.append(place)
        atom = Atom(kind, place, UNIT << (WIDTH * place), positive, detail)
        self.listed.append(atom)
        self._known[kind, key] = atom
        self._bias |= _HALF << (WIDTH * place)
        self._offset += _HALF << (WIDTH * place)
        return atom

    def replace(self, atom: Atom, exponent: int, value: Polynomial) -> None:
        """Makes a whole power of the atom equal to a polynomial from now on."""
        shift = WIDTH * atom.place
        self.rules[atom.place] = Rule(shift, exponent * UNIT, value)
        self._marks |= _HALF << shift
        self._offset -= exponent * UNIT << shift

    def exponent(self, monomial: int, place: int) -> int:
        """The exponent of one atom in a monomial, in units."""
        return ((monomial + self._bias >> WIDTH * place) & _MASK) - _HALF

    def toil(self, terms: int) -> None:
        """Takes what work on so many monomials costs: they are longer the more atoms there are."""
        self.budget.spend(terms * (len(self.listed) + 16) >> 4)

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial after all replacements."""
        offset, marks = self._offset, self._marks
        if marks:
            self.toil(len(polynomial) >> 2)
            for monomial in polynomial:
                if (monomial + offset) & marks:
                    return self._replaced(polynomial)
        return polynomial

    def _replaced(self, polynomial: Polynomial) -> Polynomial:
        result: Polynomial = {}
        pending = list(polynomial.items())
        while pending:
            self.toil(1)
            monomial, coefficient = pending.pop()
            reached = (monomial + self._offset) & self._marks
            if reached:
                pending += self._once(monomial, coefficient, reached.bit_length() // WIDTH - 1)
                continue
            value = result.get(monomial, 0) + coefficient
            if value:
                result[monomial] = value
            else:
                del result[monomial]
        return result

    def _once(self, monomial: int, coefficient: int, place: int) -> list[tuple[int, int]]:
        """The terms after the replacement of one atom."""
        rule = self.rules[place]
        count = self.exponent(monomial, place) // rule.step
        rest = monomial - (count * rule.step << rule.shift)
        factors = power(rule.value, count, self.budget)
        return [(rest + factor, coefficient * number) for factor, number in factors.items()]
