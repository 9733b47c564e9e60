"""What `evalsi rewards score` costs: whole commands, the engine's own part, a cache hit, memory.

Every row is measured in one run, several rounds each, and printed as median with its target.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evalsi.core.reward import load_reward

EVALSI = [sys.executable, "-m", "evalsi.core.cli"]
CHEAP = {
    "name": "cheap",
    "components": [
        "format-check",
        {"ref": "overlong-penalty", "params": {"max_length": 4096, "buffer": 512}},
    ],
}
MATH = {"name": "math", "components": ["format-check", "math-equiv"]}
CODE = {"name": "code", "components": ["code-exec-tests"]}
PROGRAM = "n = int(input())\nprint(n * {factor})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, fewer rollouts")
    quick = parser.parse_args().quick
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{'measured':<58}{'median':>12}  {'target':<22}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        start_up(3 if quick else 9)
        engine_cost(3 if quick else 15)
        commands(1 if quick else 3, quick=quick)
        memory(50_000 if quick else 1_000_000)


def row(what: str, value: str, target: str = "") -> None:
    print(f"{what:<58}{value:>12}  {target:<22}", flush=True)


def start_up(rounds: int) -> None:
    """Whole processes, taken in turn, as ratios to importing click alone."""
    commands = {
        "click": [sys.executable, "-c", "import click"],
        "--version": [*EVALSI, "--version"],
        "--help": [*EVALSI, "--help"],
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            taken[name].append(seconds(command))
    base = statistics.median(taken["click"])
    row("python -c 'import click'", f"{base * 1e3:.0f} ms")
    for name in ("--version", "--help"):
        ratio = statistics.median(a / b for a, b in zip(taken[name], taken["click"], strict=True))
        row(f"evalsi {name}, against importing click", f"{ratio:.2f} x", "<= 2 x")


def engine_cost(rounds: int) -> None:
    """Microseconds a rollout inside a process, in batches as a trainer's: fresh, and cached."""
    count = 2_048
    function = load_reward(CHEAP)
    lone = load_reward({"name": "lone", "components": ["format-check"]})
    function.score(cheap_rollouts(100, "warm"))
    fresh, hits, single = [], [], []
    for number in range(rounds):
        rollouts = cheap_rollouts(count, str(number))
        fresh.append(timed(lambda rollouts=rollouts: function.score(rollouts)) / count)
        hits.append(timed(lambda rollouts=rollouts: function.score(rollouts)) / count)
        single.append(timed(lambda rollouts=rollouts: lone.score(rollouts)) / count)
    row("format-check + overlong-penalty, 1 kB, fresh", micros(fresh), "<= 25 us a rollout")
    row("the same batch again: two cache hits a rollout", micros(hits), "<= 20 us a rollout")
    row("format-check alone, cached: one hit a rollout", micros(single), "<= 10 us a rollout")


def commands(rounds: int, *, quick: bool) -> None:
    """`rewards score` as a whole process."""
    math_count, programs = (200, 10) if quick else (2000, 100)
    write("math.json", MATH, "math.jsonl", math_rollouts(math_count))
    write("code.json", CODE, "code.jsonl", code_rollouts(programs))
    taken = [seconds(scoring("math")) for _ in range(rounds)]
    median = statistics.median(taken)
    row(f"rewards score, {math_count} math rollouts", f"{median:.2f} s")
    taken = [seconds(scoring("code")) for _ in range(rounds)]
    median = statistics.median(taken)
    row(f"rewards score, {programs} programs x 5 cases, namespaced", f"{median:.2f} s")
    row("    cases a second, start included", f"{programs * 5 / median:.0f}")


def memory(count: int) -> None:
    """Peak memory of one command over many rollouts, against a quarter, which fill the cache."""
    write("cheap.json", CHEAP, "small.jsonl", iter_cheap(count // 4))
    write("cheap.json", CHEAP, "cheap.jsonl", iter_cheap(count))
    small, _ = peak_mb("small")
    large, took = peak_mb("cheap")
    row(f"rewards score, {count // 4:,} rollouts: peak memory", f"{small:.0f} MB")
    row(f"rewards score, {count:,} rollouts: peak memory", f"{large:.0f} MB", "flat")
    row("    whole command, a rollout", f"{took / count * 1e6:.1f} us")


def cheap_rollouts(count: int, salt: str) -> list[dict[str, Any]]:
    return list(iter_cheap(count, salt))


def iter_cheap(count: int, salt: str = "") -> Iterator[dict[str, Any]]:
    for number in range(count):
        text = f"<think>{salt} {number} {'x' * 950}</think><answer>{number}</answer>"
        yield {"id": f"r{number}", "completion": text, "completion_tokens": 300}


def math_rollouts(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        thought = f"{number} + 1, carefully. {'so ' * 200}"
        text = f"<think>{thought}</think>\nIt is \\boxed{{{number + 1}}}."
        yield {"id": f"r{number}", "completion": text, "answer": f"#### {number + 1 + number % 2}"}


def code_rollouts(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        code = PROGRAM.format(factor=number)
        tests = [{"input": str(n), "output": str(n * number)} for n in range(5)]
        yield {"id": f"r{number}", "completion": f"```python\n{code}\n```", "tests": tests}


def write(spec: str, body: dict[str, Any], data: str, rollouts: Iterator[dict[str, Any]]) -> None:
    envelope = {
        "apiVersion": "evals.si/v1alpha1",
        "kind": "RewardSpec",
        "metadata": {"name": body["name"]},
        "spec": {"components": body["components"]},
    }
    Path(spec).write_text(json.dumps(envelope))
    with Path(data).open("w") as file:
        file.writelines(json.dumps(rollout) + "\n" for rollout in rollouts)


def scoring(name: str, spec: str = "") -> list[str]:
    files = ["--spec", f"{spec or name}.json", "--data", f"{name}.jsonl"]
    return [*EVALSI, "rewards", "score", *files]


def seconds(command: list[str]) -> float:
    return timed(lambda: subprocess.run(command, check=True, capture_output=True))


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def peak_mb(name: str) -> tuple[float, float]:
    """The peak of one child in a fresh process, so that earlier children do not count."""
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,"
        " stderr=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, *scoring(name, "cheap")]
    begun = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024, time.perf_counter() - begun


def micros(taken: list[float]) -> str:
    return f"{statistics.median(taken) * 1e6:.1f} us"


if __name__ == "__main__":
    main()
