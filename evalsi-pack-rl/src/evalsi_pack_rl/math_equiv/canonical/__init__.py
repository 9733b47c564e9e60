"""Expressions in a normal form over the rational numbers, and what that decides."""

from __future__ import annotations

from evalsi_pack_rl.math_equiv.canonical.budget import Budget, OutOfBudget
from evalsi_pack_rl.math_equiv.canonical.decision import (
    Decision,
    close_expressions,
    equal_expressions,
)

__all__ = ["Budget", "Decision", "OutOfBudget", "close_expressions", "equal_expressions"]
