"""What scoring by a server on this machine costs its client, beside the same spec here.

Rows are distinct and the cache is off. "client" is the processor time of this process, in all its
threads. Medians of several rounds.

    python benchmarks/remote_score.py
    python benchmarks/remote_score.py --quick
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from evalsi.core.reward import LoadedReward, load_reward
from evalsi.core.reward.wire import described, row_of_record

SPEC = {
    "apiVersion": "evals.si/v1alpha1",
    "kind": "RewardSpec",
    "metadata": {"name": "math"},
    "spec": {"components": ["format-check", "math-equiv"], "cache": False},
}
SIZES = (1, 64, 512, 4096)


class Cost(NamedTuple):
    """Of one call, for one rollout: microseconds by the clock, and of this process."""

    wall_us: float
    client_us: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, fewer rollouts")
    quick = parser.parse_args().quick
    rounds, sizes = (3, SIZES[:3]) if quick else (15, SIZES)
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (path, url):
        here, there = load_reward(path), load_reward(path, server=url)
        encoding(here, rounds)
        print(f"{'rollouts':>8}{'here':>12}{'there':>12}{'client':>12}   us a rollout")
        for size in sizes:
            at_home, away = measured(here, size, rounds), measured(there, size, rounds)
            print(f"{size:>8}{at_home.wall_us:>12.1f}{away.wall_us:>12.1f}{away.client_us:>12.1f}")


@contextmanager
def serving(folder: Path) -> Iterator[tuple[Path, str]]:
    """The spec as a file, and the address of a server that has it."""
    path = folder / "math.yaml"
    path.write_text(yaml.safe_dump(SPEC))
    serve = ["-m", "evalsi.core.cli", "rewards", "serve", "--spec", str(path), "--port", "0"]
    process = subprocess.Popen([sys.executable, *serve], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        listening = re.compile(r"listening on (http://\S+)")
        yield path, next(found[1] for line in process.stderr if (found := listening.search(line)))
    finally:
        process.terminate()
        process.communicate()


def rollouts(count: int, seed: int) -> list[dict[str, Any]]:
    """Completions of about 2000 characters, no two alike."""
    thought = "so we add them and see what comes out. " * 50
    return [
        {
            "prompt": f"What is {number} + {seed}?",
            "completion": f"<think>{seed} {thought}</think><answer>{number + seed}</answer>",
            "answer": str(number + seed),
        }
        for number in range(count)
    ]


def measured(reward: LoadedReward, size: int, rounds: int) -> Cost:
    reward.score(rollouts(size, -1))  # connections, imports
    costs = []
    for seed in range(rounds):
        rows = rollouts(size, seed)
        costs.append(timed(lambda rows=rows: reward.score(rows), size))
    walls, clients = zip(*costs, strict=True)
    return Cost(statistics.median(walls), statistics.median(clients))


def timed(work: Callable[[], object], count: int) -> Cost:
    wall, used = time.perf_counter(), time.process_time()
    work()
    return Cost(
        (time.perf_counter() - wall) * 1e6 / count, (time.process_time() - used) * 1e6 / count
    )


def encoding(reward: Any, rounds: int) -> None:
    """The part of the client that is not HTTP: a record and its row as JSON."""
    reads, rows = described(reward).reads, rollouts(512, 0)
    records = reward.records(rows)
    size = sum(len(row_of_record(record, reads, None)) for record in records) / len(rows)
    costs = [
        timed(lambda: [row_of_record(r, reads, None) for r in reward.records(rows)], len(rows))
        for _ in range(rounds)
    ]
    median = statistics.median(cost.client_us for cost in costs)
    print(f"a row has {size:.0f} bytes and takes {median:.1f} us to read and to encode")


if __name__ == "__main__":
    main()
