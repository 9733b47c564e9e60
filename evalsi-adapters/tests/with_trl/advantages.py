"""The advantages that a trainer should find, computed from the texts alone."""

from __future__ import annotations

import math
from statistics import mean, stdev
from typing import TypeVar

from trl_fakes.evaluators import is_away

T = TypeVar("T")
FLAKY = {
    "components": [
        {"ref": "trl-fakes:flaky", "name": "flaky"},
        {"ref": "trl-fakes:letters", "name": "letters", "weight": 0.5},
    ],
    "onError": "none",
}
"""A verifier that is away for some outputs, beside one that never is."""


def total(text: str) -> float | None:
    """The total of a text under `FLAKY`."""
    return None if is_away(text) else 1.5 * sum(map(str.isalpha, text)) / max(1, len(text))


def grpo(group: list[str]) -> list[float]:
    """GRPO's, over the texts of one group of which some have no total."""
    totals = list(map(total, group))
    scored = [one for one in totals if one is not None]
    spread = stdev(scored) + 1e-4 if len(scored) > 1 else math.inf
    return [0.0 if one is None else (one - mean(scored)) / spread for one in totals]


def rloo(group: list[str]) -> list[float]:
    """RLOO's: the baseline is the mean of the others that were scored."""
    totals = list(map(total, group))
    scored = [one for one in totals if one is not None]
    if len(scored) < 2:
        return [0.0] * len(group)
    return [0.0 if one is None else one - (sum(scored) - one) / (len(scored) - 1) for one in totals]


def groups(rows: list[T], size: int) -> list[list[T]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]
