"""What `evalsi run` costs beside the model: a record's overhead, requests in flight, memory.

Every row is measured in one run, several rounds each, and printed as median with its target.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalsi.core.run import run

EVALSI = [sys.executable, "-m", "evalsi.core.cli"]
SERVER = Path(__file__).with_name("loopback_server.py")
DELAY_MS = 5.0
CHEAP = {"ref": "format-check", "params": {"pattern": "(?s).*x.*"}}
ECHO = {"connector": "echo"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, fewer records")
    quick = parser.parse_args().quick
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{'measured':<58}{'median':>12}  {'target':<22}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        overhead(2_000 if quick else 20_000, rounds=1 if quick else 5)
        in_flight(500 if quick else 4_000, rounds=1 if quick else 5)
        memory(10_000 if quick else 100_000)


def row(what: str, value: str, target: str = "") -> None:
    print(f"{what:<58}{value:>12}  {target:<22}", flush=True)


def overhead(count: int, rounds: int) -> None:
    """Microseconds a record in this process, with a target that answers at once."""
    write_records(count)
    run(spec(ECHO, limit=100))
    asked = f"{count:,} records of 1 kB, echo, format-check"
    row_of(f"{asked}, no file", [one_run(count) for _ in range(rounds)])
    kept = [one_run(count, out=True) for _ in range(rounds)]
    row_of("the same with a result file", kept, "<= 150 us a record")
    rounds = max(1, rounds // 2)
    row_of("the same with 8 trials, a trial", [one_run(count, trials=8) for _ in range(rounds)])


def row_of(what: str, taken: list[tuple[float, float]], target: str = "") -> None:
    """Wall time, and beside it the processor time that a busy machine does not stretch."""
    wall, cpu = (statistics.median(times) * 1e6 for times in zip(*taken, strict=True))
    row(what, f"{wall:.1f} us", target)
    row("    of processor time", f"{cpu:.1f} us")


def one_run(count: int, *, out: bool = False, trials: int = 1) -> tuple[float, float]:
    """Seconds a trial, by the clock and of processor time."""
    path, asked = Path("result.json"), count * trials
    path.unlink(missing_ok=True)
    begun, used = time.perf_counter(), time.process_time()
    outcome = run(spec(ECHO, trials=trials), out=path if out else None)
    begun, used = time.perf_counter() - begun, time.process_time() - used
    assert outcome.outputs["asked"] == asked, outcome.outputs
    assert outcome.outputs["errors"] == 0, outcome.outputs
    return begun / asked, used / asked


def in_flight(count: int, rounds: int) -> None:
    """Requests that a server of 5 ms holds on average, as the server counts them."""
    write_records(count)
    for at_once in (4, 16, 64):
        seen = [held_by_server(count, at_once) for _ in range(rounds)]
        held, speed, used = (statistics.median(numbers) for numbers in zip(*seen, strict=True))
        target = ">= 85 % in flight" if at_once == 16 else ""
        row(f"{at_once} at once, a server of {DELAY_MS:g} ms: in flight", f"{held:.1%}", target)
        row("    requests a second", f"{speed:.0f}", f"{at_once / DELAY_MS * 1e3:.0f} at most")
        row("    processor time a request", f"{used * 1e6:.0f} us")


def held_by_server(count: int, at_once: int) -> tuple[float, float, float]:
    """The share of the limit that is held, requests a second, processor seconds a request."""
    path = Path("served.json")
    path.unlink(missing_ok=True)
    with server() as url:
        target = {"connector": "openai-compatible", "model": "m", "base_url": f"{url}/v1"}
        used = time.process_time()
        outcome = run(spec(target, concurrency=at_once), out=path)
        used = time.process_time() - used
        assert outcome.outputs["asked"] == count, outcome.outputs
        assert outcome.outputs["errors"] == 0, outcome.outputs
        with urllib.request.urlopen(f"{url}/held") as answer:
            held = json.load(answer)
    return held["mean"] / at_once, held["served"] / held["seconds"], used / count


def memory(count: int) -> None:
    """Peak memory of one command over many records, against a quarter."""
    write_records(count)
    small, _ = peak_mb(count // 4)
    large, took = peak_mb(count)
    row(f"evalsi run, {count // 4:,} records of 1 kB: peak memory", f"{small:.0f} MB")
    row(f"evalsi run, {count:,} records of 1 kB: peak memory", f"{large:.0f} MB")
    row("    a record more", f"{(large - small) * 2**20 / (count - count // 4):.0f} bytes")
    row("    whole command, a record", f"{took / count * 1e6:.1f} us")


def peak_mb(limit: int) -> tuple[float, float]:
    """The peak of one child in a fresh process, so that earlier children do not count."""
    Path("spec.json").write_text(json.dumps(spec(ECHO, limit=limit)))
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,"
        " stderr=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    child = [*EVALSI, "run", "-f", "spec.json", "--out", f"memory-{limit}.json"]
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *child], check=True, capture_output=True, text=True
    )
    return int(done.stdout) / 1024, time.perf_counter() - begun


def write_records(count: int) -> None:
    with Path("records.jsonl").open("w") as file:
        for number in range(count):
            text = f"{number} and {number}? {'x' * 950}"
            file.write(json.dumps({"id": f"r{number}", "input": text, "reference": "4"}) + "\n")


def spec(target: dict[str, Any], *, limit: int | None = None, **settings: Any) -> dict[str, Any]:
    path = str(Path("records.jsonl").resolve())
    dataset = {"path": path} if limit is None else {"path": path, "limit": limit}
    return {
        "apiVersion": "evals.si/v1alpha1",
        "kind": "EvalRun",
        "metadata": {"name": "bench"},
        "spec": {"target": target, "dataset": dataset, "evaluators": [CHEAP], **settings},
    }


@contextlib.contextmanager
def server() -> Iterator[str]:
    command = [sys.executable, str(SERVER), str(DELAY_MS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
