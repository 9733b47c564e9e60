"""How often a training run is stopped for nothing when it is looked at twenty times.

    python benchmarks/looks.py

simulates runs with a fixed seed: a base and 20 checkpoints, 500 records of pass and fail, each
checkpoint compared with the base by the code that `evalsi checkpoints curve` uses. A run stops
at the first step that the rule of its column calls a regression. Where nothing changes the share
of runs that stop is told; where metrics drop from step 11 on, the share of those that got there.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from evalsi.core.stats import Changes, comparison_of, holm, regressed

STEPS = 20
DROPS_AT = 10  # from 0
Runs = npt.NDArray[np.int64]
Rule = Callable[[list[bool], list[float]], int | None]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--share", type=float, default=0.7)
    parser.add_argument("--max-drop", type=float, default=0.02)
    asked = parser.parse_args()
    print(f"{asked.runs} runs of {STEPS} steps, {asked.records} records, {asked.share:.0%} pass")
    print(f"{'':42}" + "".join(f"{name:>14}" for name in RULES))
    for correlation in (0.5, 0.9):
        for drop in (0.0, 0.05, 0.08):
            lost, gained = simulated(asked.runs, asked.records, asked.share, correlation, drop)
            first = DROPS_AT if drop else 0
            shares = stopped(lost, gained, asked.records, asked.max_drop, first)
            what = f"drop of {drop:g} from step 11" if drop else "nothing changes"
            print(f"correlation {correlation:g}, {what:25}" + "".join(f"{s:14.3f}" for s in shares))


def simulated(
    runs: int, records: int, share: float, correlation: float, drop: float
) -> tuple[Runs, Runs]:
    """Records lost and gained against the base, a row a run and a column a step.

    A record is passed with a probability of its own, a beta variate, by the base and by every
    checkpoint alike: so any two of them correlate by `correlation`. A drop lowers all of these
    probabilities in proportion.
    """
    rng = np.random.default_rng(20261130)
    spread = (1 - correlation) / correlation
    lost, gained = np.zeros((2, runs, STEPS), np.int64)
    for run in range(runs):
        easy = rng.beta(share * spread, (1 - share) * spread, records)
        base = rng.random(records) < easy
        chance = np.tile(easy, (STEPS, 1))
        chance[DROPS_AT:] *= (share - drop) / share
        passed = rng.random((STEPS, records)) < chance
        lost[run], gained[run] = (base & ~passed).sum(1), (~base & passed).sum(1)
    return lost, gained


def stopped(lost: Runs, gained: Runs, records: int, max_drop: float, first: int) -> list[float]:
    """By rule, the share of runs that it stops, of those that it lets come to `first`."""
    stops = dict.fromkeys(RULES, 0)
    came = dict.fromkeys(RULES, 0)
    for fell, rose in zip(lost.tolist(), gained.tolist(), strict=True):
        looks = [look(a, b, records, max_drop) for a, b in zip(fell, rose, strict=True)]
        falls, ps = [falls for falls, _ in looks], [p for _, p in looks]
        for name, rule in RULES.items():
            at = rule(falls, ps)
            came[name] += at is None or at >= first
            stops[name] += at is not None and at >= first
    return [stops[name] / came[name] for name in RULES]


@cache
def look(lost: int, gained: int, records: int, max_drop: float) -> tuple[bool, float]:
    """Whether one comparison is a regression, and its p."""
    diff = (gained - lost) / records
    changes = Changes(records, 0.0, diff, diff, 0.0, records - 1, lost, gained, binary=True)
    found = comparison_of(changes)
    return regressed(found, direction="higher", max_drop=max_drop), found.p or 0.0


def confirmed(count: int) -> Rule:
    def rule(falls: list[bool], _: list[float]) -> int | None:
        for at in range(count - 1, len(falls)):
            if all(falls[at - count + 1 : at + 1]):
                return at
        return None

    return rule


def by_holm(falls: list[bool], ps: list[float]) -> int | None:
    """A regression that is left after Holm's correction over the looks so far."""
    for at in range(len(falls)):
        if falls[at] and holm(ps[: at + 1])[at] < 0.05:
            return at
    return None


RULES: dict[str, Rule] = {
    "confirm 1": confirmed(1),
    "confirm 2": confirmed(2),
    "confirm 3": confirmed(3),
    "Holm": by_holm,
}


if __name__ == "__main__":
    main()
