"""How often intervals hold the truth, by exact enumeration: why Tango is the rule for passes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import pytest

from evalsi.core.stats import interval_of, tango_interval

Method = Callable[[int, int, int], tuple[float, float]]
SETTINGS = [*itertools.product((30, 100), (0.7, 0.95), (0.5, 0.9), (0.0, 0.05))]


def by_t(lost: int, gained: int, n: int) -> tuple[float, float]:
    values = [-1.0] * lost + [1.0] * gained + [0.0] * (n - lost - gained)
    found = interval_of(values, binary=False)
    assert found.lo is not None
    assert found.hi is not None
    return found.lo, found.hi


def by_tango(lost: int, gained: int, n: int) -> tuple[float, float]:
    return tango_interval(lost, gained, n=n)


def flips(
    n: int, share: float, correlation: float, drop: float
) -> Iterator[tuple[int, int, float]]:
    """Every count of lost and gained records that is likely at all, with its probability."""
    after = share - drop
    spread = math.sqrt(share * (1 - share) * after * (1 - after))
    both = min(share * after + correlation * spread, share, after)
    lose, gain = share - both, after - both
    for lost in range(n + 1):
        for gained in range(n - lost + 1):
            ways = math.comb(n, lost) * math.comb(n - lost, gained)
            p = ways * lose**lost * gain**gained * (1 - lose - gain) ** (n - lost - gained)
            if p > 1e-9:
                yield lost, gained, p


def coverage(method: Method, setting: tuple[int, float, float, float]) -> float:
    n, drop, held = setting[0], setting[3], 0.0
    for lost, gained, p in flips(*setting):
        low, high = method(lost, gained, n)
        held += p * (low - 1e-12 <= -drop <= high + 1e-12)
    return held


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_tango_holds_the_truth_as_often_as_it_says(
    setting: tuple[int, float, float, float],
) -> None:
    assert coverage(by_tango, setting) > 0.947


def test_t_of_few_flips_does_not() -> None:
    assert coverage(by_t, (30, 0.7, 0.9, 0.05)) < 0.8
