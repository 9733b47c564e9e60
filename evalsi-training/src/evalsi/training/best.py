"""Which checkpoint is the best, without the winner's curse.

The highest of many means is high partly by luck. So one half of the records chooses, and the other
half, which had no say, tells what the chosen one is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from evalsi.training.steps import Step
from evalsi.training.subsets import subset_of
from evalsi.training.values import Column, StepValues

__all__ = ["LEAST", "Choice", "Part", "Tally", "choose", "half_of", "tally_of"]

LEAST: Final = 100
"""Records below which a half says too little to choose or to confirm."""

_PURPOSE: Final = "half"
_ROUNDING: Final = 1e-12  # means that differ by less are a tie

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """Some records' values of one metric: how many, and their mean; 0.0 of none."""

    n: int
    mean: float


@dataclass(frozen=True, slots=True)
class Tally:
    """A step's values of one metric, by the halves of the panel.

    Attributes:
        step: which.
        whole: over all records.
        choosing: over the half that chooses.
        confirming: over the other.
    """

    step: Step
    whole: Part
    choosing: Part
    confirming: Part


@dataclass(frozen=True, slots=True)
class Choice:
    """The best of several steps.

    Attributes:
        tally: its values.
        confirmed: whether one half chose and the other can confirm; else all records chose.
    """

    tally: Tally
    confirmed: bool


def half_of(ids: tuple[str, ...], clusters: tuple[str | None, ...]) -> Mask:
    """Marks the half of a panel that chooses; clusters stay whole."""
    chosen = subset_of(ids, clusters, (len(ids) + 1) // 2, purpose=_PURPOSE)
    return np.array([name in chosen for name in ids], np.bool_)


def tally_of(step: Step, values: StepValues, metric: str) -> Tally:
    """A step's values by halves; the metric is one that it reports."""
    column, half = values.columns[metric], half_of(values.ids, values.clusters)
    return Tally(step, _part(column), _part(column[half]), _part(column[~half]))


def choose(tallies: Sequence[Tally], direction: str) -> Choice | None:
    """The best of these steps; None of none.

    Of steps that tie it is the first. Halves are used from `LEAST` records on.

    Args:
        tallies: in the order of the steps, of those that can be the best.
        direction: `lower` where less is better.
    """
    if not tallies:
        return None
    confirmed = max(one.whole.n for one in tallies) >= LEAST and all(
        one.choosing.n and one.confirming.n for one in tallies
    )
    sign = -1 if direction == "lower" else 1
    best = tallies[0]
    for one in tallies[1:]:
        if sign * (_by(one, confirmed=confirmed) - _by(best, confirmed=confirmed)) > _ROUNDING:
            best = one
    return Choice(best, confirmed)


def _by(tally: Tally, *, confirmed: bool) -> float:
    return (tally.choosing if confirmed else tally.whole).mean


def _part(column: Column) -> Part:
    held = column[~np.isnan(column)]
    return Part(len(held), float(held.mean()) if len(held) else 0.0)
