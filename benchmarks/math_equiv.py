"""What `math-equiv` costs a pair, against math-verify on the same pairs: one run, one table.

Each round of each side is a process of its own, taken in turn, imported and warmed up on other
pairs; no answer is cached when a measurement begins. Batches of 64, as a GRPO group comes;
latencies are of single pairs. Printed are medians over the rounds. math-verify is installed by
`pip install 'evalsi-pack-rl[math-verify]'`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evalsi.core.engine import tools_for
from evalsi.core.evaluator import Need
from evalsi.core.records import Record
from evalsi.core.results import Score
from evalsi.core.reward import load_reward
from evalsi_pack_rl.math_equiv import MathEquiv, MathEquivParams

WORKLOAD = Path(__file__).parents[1] / "testdata" / "math_workload.jsonl"
BATCH = 64
MIX = "all"
TARGETS = {MIX: 50, "number": 100}
WARM = [
    ("It is \\boxed{42}.", "41"),
    ("so \\boxed{\\frac{3}{9}}", "\\frac{1}{3}"),
    ("\\boxed{\\arctan 2 + \\arctan 3}", "\\frac{3\\pi}{4}"),  # starts the workers
]

Pair = tuple[str, str]
Judge = Callable[[Sequence[Pair]], list[bool]]
Round = dict[str, "Figures"]
Figures = dict[str, dict[str, float]]
"""By kind, and for all of them: named numbers."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="processes a side")
    parser.add_argument("--pairs", type=int, default=0, help="only the first pairs of the workload")
    parser.add_argument("--side", choices=list(SIDES), help=argparse.SUPPRESS)
    given = parser.parse_args()
    rows = [json.loads(line) for line in WORKLOAD.read_text("utf-8").splitlines()]
    rows = rows[: given.pairs or None]
    if given.side:
        print(json.dumps(measured(SIDES[given.side], rows)))
        return
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"math-verify {version('math-verify')}, {len(rows)} pairs, {given.rounds} rounds")
    compare([one_round(given.pairs) for _ in range(given.rounds)])


def one_round(pairs: int) -> Round:
    """Both sides once, each in a fresh process."""
    found = {}
    for side in SIDES:
        command = [sys.executable, __file__, "--side", side, "--pairs", str(pairs)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found[side] = json.loads(done.stdout)
    return found


def measured(
    make: Callable[[], Judge], rows: Sequence[dict[str, Any]]
) -> dict[str, dict[str, float]]:
    """By kind and in all: pairs a second in batches, then latencies pair by pair."""
    make()(WARM)
    found = {}
    for kind in (MIX, *dict.fromkeys(row["kind"] for row in rows)):
        chosen = [row for row in rows if kind in {MIX, row["kind"]}]
        found[kind] = {"pairs": float(len(chosen)), **speed(make(), chosen)}
    judge = make()
    alone = [(row["kind"], latency(judge, row)) for row in rows]
    for kind, figures in found.items():
        figures.update(spread([took for of, took in alone if kind in {MIX, of}]))
    return found


def speed(judge: Judge, rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    pairs = [(row["completion"], row["reference"]) for row in rows]
    begun = time.perf_counter()
    verdicts = [said for batch in batches(pairs) for said in judge(batch)]
    taken = time.perf_counter() - begun
    right = sum(said == row["correct"] for said, row in zip(verdicts, rows, strict=True))
    return {"speed": len(rows) / taken, "right": right / len(rows)}


def latency(judge: Judge, row: dict[str, Any]) -> float:
    pair = (row["completion"], row["reference"])
    begun = time.perf_counter()
    judge([pair])
    return time.perf_counter() - begun


def batches(pairs: Sequence[Pair]) -> Iterable[Sequence[Pair]]:
    return (pairs[at : at + BATCH] for at in range(0, len(pairs), BATCH))


def spread(taken: Sequence[float]) -> dict[str, float]:
    ordered = sorted(taken)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return {"p50": statistics.median(ordered), "p99": p99, "max": ordered[-1]}


def evaluator() -> Judge:
    """`math-equiv` itself, with its defaults; a new one remembers nothing."""
    tools = tools_for({Need.WORKERS}, None)
    compare = MathEquiv(MathEquivParams(), tools).score_batch

    def judge(pairs: Sequence[Pair]) -> list[bool]:
        answers = compare([Record("", output=text, reference=gold) for text, gold in pairs])
        return [isinstance(answer, Score) and answer.value == 1.0 for answer in answers]

    return judge


def reward() -> Judge:
    """The whole path: a reward with this one component, rollouts in and rewards out."""
    function = load_reward({"name": "math", "cache": False, "components": ["math-equiv"]})

    def judge(pairs: Sequence[Pair]) -> list[bool]:
        rollouts = [{"completion": text, "reference": gold} for text, gold in pairs]
        return [given.total == 1.0 for given in function.score(rollouts)]

    return judge


def math_verify() -> Judge:
    """math-verify as its readme calls it, with its timeouts, on the main thread."""
    from math_verify import parse, verify

    def judge(pairs: Sequence[Pair]) -> list[bool]:
        return [verify(parse(f"${gold}$"), parse(text)) for text, gold in pairs]

    return judge


OURS, PEER = "math-equiv", "math-verify"
SIDES: dict[str, Callable[[], Judge]] = {
    OURS: evaluator,
    "in a reward": reward,
    PEER: math_verify,
}


def compare(rounds: Sequence[Round]) -> None:
    head = f"{'kind':<15}{'pairs':>6}{'side':>13}{'pairs/s':>9}{'p50 us':>9}{'p99 us':>9}"
    print(f"{head}{'max ms':>9}{'right %':>9}{'ratio':>8}  target")
    for kind, columns in rounds[0][PEER].items():
        for side in SIDES:
            row = {name: middle(rounds, side, kind, name) for name in columns}
            ratio = statistics.median(
                one[side][kind]["speed"] / one[PEER][kind]["speed"] for one in rounds
            )
            target = f"  >= {TARGETS[kind]} x" if side == OURS and kind in TARGETS else ""
            print(
                f"{kind:<15}{row['pairs']:>6.0f}{side:>13}{row['speed']:>9.0f}"
                f"{row['p50'] * 1e6:>9.0f}{row['p99'] * 1e6:>9.0f}{row['max'] * 1e3:>9.1f}"
                f"{row['right'] * 100:>9.1f}{ratio:>7.0f}x{target}"
            )


def middle(rounds: Sequence[Round], side: str, kind: str, name: str) -> float:
    return statistics.median(one[side][kind][name] for one in rounds)


if __name__ == "__main__":
    main()
