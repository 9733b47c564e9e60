"""What patience and a mini panel of so many records get right, and what they cost.

    python benchmarks/standstill.py

simulates training runs of 20 checkpoints with a fixed seed: records of pass and fail, each with a
chance of its own (a beta variate), so that any two models correlate by 0.5. The rules are those
of `evalsi checkpoints`.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

from evalsi.core.stats import Comparison
from evalsi.training.judging import StepResult
from evalsi.training.mini import below_base
from evalsi.training.stopping import Monitor, Patience, stall_of

STEPS = 20
PEAK = 8  # from 0: from here on nothing improves
RECORDS = (20, 100, 500)
PATIENCE = (2, 3, 5)
Chances = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print("a run that improves from 0.50 to 0.69, by 0.01 a step: stopped before its end")
    for records in RECORDS:
        found = [ends(runs, records, rises, patience) for patience in PATIENCE]
        row = "".join(f"{np.mean([end < STEPS - 1 for end in one]):9.1%}" for one in found)
        print(f"  {records:4} records, patience 2, 3, 5:{row}")
    print(f"a run that improves by 0.03 a step up to step {PEAK + 1}: mean step at which it stops")
    for records in RECORDS:
        found = [ends(runs, records, levels, patience) for patience in PATIENCE]
        row = "".join(f"{np.mean(one) + 1:9.1f}" for one in found)
        print(f"  {records:4} records, patience 2, 3, 5:{row}")
    print("a checkpoint beside a base of 0.70: asked the full panel")
    for records in RECORDS:
        row = "".join(f"{promoted(runs * 5, records, by):9.1%}" for by in (-0.1, -0.05, 0, 0.05))
        print(f"  {records:4} records, 0.10 and 0.05 worse, equal, 0.05 better:{row}")


def rises(step: int) -> float:
    return 0.5 + 0.01 * step


def levels(step: int) -> float:
    return 0.4 + 0.03 * min(step, PEAK)


def ends(runs: int, records: int, share: object, patience: int) -> list[int]:
    """The step, from 0, at which each run ends."""
    assert callable(share)
    rng = np.random.default_rng(20261130)
    return [
        ending(rng, records, [share(step) for step in range(STEPS)], patience) for _ in range(runs)
    ]


def ending(rng: np.random.Generator, records: int, shares: list[float], patience: int) -> int:
    easy = rng.beta(0.5, 0.5, records)
    results: list[StepResult] = []
    for step, share in enumerate(shares):
        mean = float((rng.random(records) < shifted(easy, share)).mean())
        results.append(StepResult(step, {"m": {"mean": mean, "direction": "higher"}}))
        if stall_of(results, Patience(Monitor("m"), patience)):
            return step
    return len(shares) - 1


def promoted(tries: int, records: int, by: float) -> float:
    """The share of checkpoints that are so much better and go on to the full panel."""
    rng = np.random.default_rng(20261130)
    found = 0
    for _ in range(tries):
        easy = rng.beta(0.7, 0.3, records)
        base = float((rng.random(records) < easy).mean())
        mean = float((rng.random(records) < shifted(easy, 0.7 + by, 0.7)).mean())
        found += not below_base(Comparison(records, base, mean, mean - base), "m", "higher")
    return found / tries


def shifted(easy: Chances, share: float, mean: float = 0.5) -> Chances:
    """The same records for a model that passes another share of them."""
    if share <= mean:
        return easy * share / mean
    return 1 - (1 - easy) * (1 - share) / (1 - mean)


if __name__ == "__main__":
    main()
