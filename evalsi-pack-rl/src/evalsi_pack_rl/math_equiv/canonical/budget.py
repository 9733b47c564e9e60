"""The work that one comparison may cost, counted in operations, so that no clock decides."""

from __future__ import annotations

from typing import Final

__all__ = ["MOST_BITS", "Budget", "OutOfBudget", "Undefined", "Unsupported"]

MOST_BITS: Final = 40_000
"""Bits of the largest integer that is ever computed; 2006! has 19,122."""


class OutOfBudget(Exception):  # noqa: N818 - an outcome, not a fault
    """A comparison would cost more than its budget; the same pair always does."""


class Unsupported(Exception):  # noqa: N818 - an outcome, not a fault
    """A tree that has no normal form here."""


class Undefined(Exception):  # noqa: N818 - an outcome, not a fault
    """An expression without a value, such as 1/0."""


class Budget:
    """Operations that are left; an operation takes a fraction of a microsecond.

    Args:
        operations: how many one comparison may take; 25,000 end within about 30 ms.
    """

    __slots__ = ("left",)

    def __init__(self, operations: int = 25_000) -> None:
        self.left = operations

    def spend(self, operations: int) -> None:
        """Takes operations.

        Raises:
            OutOfBudget: when they are not there.
        """
        self.left -= operations
        if self.left < 0:
            raise OutOfBudget

    def admit(self, bits: int) -> None:
        """Takes what an integer of so many bits costs, before it is computed.

        Raises:
            OutOfBudget: when it is too long.
        """
        if bits > MOST_BITS:
            raise OutOfBudget
        self.spend(1 + (bits >> 6))
