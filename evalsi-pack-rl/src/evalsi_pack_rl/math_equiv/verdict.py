"""What the tiers say of two answers, and which leniencies they may use."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from evalsi_pack_rl.math_equiv.syntax.tree import Node

__all__ = ["LENIENCIES", "Decision", "Leniency", "Verdict"]

Decision: TypeAlias = Literal["yes", "no", "undecided"]

Leniency: TypeAlias = Literal[
    "percent-as-number",
    "missing-unit",
    "missing-brackets",
    "missing-side",
    "missing-base",
    "inequality-as-interval",
    "scaled-relation",
    "unevaluated",
]

LENIENCIES: Final[frozenset[Leniency]] = frozenset(get_args(Leniency))


class Verdict(NamedTuple):
    """The verdict of the tiers.

    Attributes:
        decision: yes, no or undecided.
        tier: the tier that decided, or the last one that tried.
        reason: a code.
        open: of an undecided verdict the pairs of expressions that must all be equal for the
            answers to be equal; none when no such pairs would settle it.
    """

    decision: Decision
    tier: str
    reason: str
    open: tuple[tuple[Node, Node], ...] = ()
