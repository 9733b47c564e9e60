"""What a long learning curve costs: steps x records x metrics, read from the disk and compared.

    python benchmarks/curve.py --steps 200 --records 20000 --metrics 5

prints the seconds of `curve_of` in a fresh process each round, and the peak memory of that
process with all steps and with a tenth of them: it should grow with one step's size alone. Then
what a look at `--folders` checkpoints costs beside a bare `os.scandir` of the same directory:
with all of them evaluated, and with all of them settled and none evaluated yet.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from evalsi.training.history import History, StepRecord
from evalsi.training.sources import Directory
from evalsi.training.values import StepValues

CURVE = """
import json, resource, sys, time
from evalsi.training.curve import curve_of
from evalsi.training.gates import RegressionGate
from evalsi.training.history import History
begun = time.perf_counter()
curve = curve_of(History(sys.argv[1], "run"), [RegressionGate("m0", 0.02), RegressionGate("m1")])
seconds = time.perf_counter() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([len(curve.results), seconds, peak / 1024]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--metrics", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folders", type=int, default=10_000)
    asked = parser.parse_args()
    looks(asked.folders, asked.rounds)
    for steps in (asked.steps, max(1, asked.steps // 10)):
        with tempfile.TemporaryDirectory() as folder:
            fill(Path(folder), steps, asked.records, asked.metrics)
            rounds = [measured(folder) for _ in range(asked.rounds)]
        seconds = statistics.median(one[1] for one in rounds)
        peak = statistics.median(one[2] for one in rounds)
        print(
            f"{steps} steps x {asked.records} records x {asked.metrics} metrics: "
            f"{seconds:.2f} s, peak {peak:.0f} MB"
        )


def looks(folders: int, rounds: int) -> None:
    """Prints the milliseconds of a look, and the ratio to a bare listing beside it."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out"
        for step in range(folders):
            checkpoint = out / f"checkpoint-{step}"
            checkpoint.mkdir(parents=True)
            for name in ("config.json", "model.safetensors"):
                (checkpoint / name).write_text("{}")
        source = Directory(out, settle=0)
        done = frozenset(range(folders))
        for name, look in (
            ("all evaluated", lambda: source.scan(done)),
            ("all settled", source.scan),
        ):
            look()  # the first look settles and pins
            pairs = [(seconds(lambda: listed(out)), seconds(look)) for _ in range(rounds)]
            ratio = statistics.median(look / bare for bare, look in pairs)
            spent = statistics.median(look for _, look in pairs)
            print(f"{folders} folders, {name}: {spent * 1e3:.0f} ms, {ratio:.1f} x os.scandir")


def listed(folder: Path) -> int:
    with os.scandir(folder) as entries:
        return sum(1 for _ in entries)


def seconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def fill(folder: Path, steps: int, records: int, metrics: int) -> None:
    """Half of the metrics are passes and failures, half are shares."""
    rng = np.random.default_rng(0)
    history = History(folder, "run")
    ids = tuple(f"record-{number}" for number in range(records))
    base = {f"m{n}": (rng.random(records) < 0.7).astype(float) for n in range(metrics)}
    with history.writing():
        for step in ("base", *range(100, 100 * steps + 1, 100)):
            columns = {}
            for number, (name, column) in enumerate(base.items()):
                turned = rng.random(records) < 0.05
                found = np.where(turned, 1 - column, column)
                columns[name] = found if number % 2 == 0 else found * rng.random(records)
            rows = {
                name: {"mean": float(c.mean()), "direction": "higher"}
                for name, c in columns.items()
            }
            record = StepRecord(step, f"checkpoint-{step}", rows, verdict="passed")
            history.write(record, StepValues(ids, columns))


def measured(folder: str) -> tuple[int, float, float]:
    """Steps, seconds, and MB of one fresh process."""
    told = subprocess.run(
        [sys.executable, "-c", CURVE, folder], capture_output=True, text=True, check=True
    )
    steps, seconds, peak = json.loads(told.stdout)
    return steps, seconds, peak


if __name__ == "__main__":
    main()
