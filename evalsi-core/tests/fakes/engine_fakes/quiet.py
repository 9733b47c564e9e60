"""Evaluators that do what they should."""

import asyncio
import os
import subprocess
import threading
import time
from pathlib import Path

from evalsi.core import Batch, Need, Score, Skipped


class Length:
    """The output's length; counts its calls."""

    bounded = True
    reads = ("output",)
    metrics = {"length": "higher"}  # noqa: RUF012
    calls = 0

    def score(self, record):
        type(self).calls += 1
        return float(len(record.output))


class LengthInWorker:
    reads = ("output",)
    metrics = {"length": "higher"}  # noqa: RUF012

    def score(self, record):
        return Score(len(record.output), evidence={"pid": os.getpid()}, stable=False)


class Where:
    """Which thread it ran in."""

    bounded = True
    needs = frozenset({Need.WORKERS})
    reads = ("output",)

    def score(self, record):
        return Score(1.0, evidence={"thread": threading.current_thread().name})


class Batched:
    reads = ("output",)
    batch = Batch(max_records=3)

    def score_batch(self, records):
        return [Score(float(len(r.output)), evidence={"together": len(records)}) for r in records]


class Grouped:
    bounded = True
    reads = ("output",)

    def score_group(self, records):
        return [float(len(records)) for _ in records]


class Async:
    bounded = True
    needs = frozenset({Need.HTTP})
    reads = ("output",)

    async def ascore(self, record):
        await asyncio.sleep(10 if record.output == "slow" else 0.01)
        return 1.0


class AsyncInWorker:
    reads = ("output",)

    async def ascore(self, record):
        await asyncio.sleep(0)
        return 0.5


class Peeks:
    bounded = True
    reads = ("output",)

    def score(self, record):
        return 1.0 if record.reference else 0.0


class Sleeps:
    reads = ("output",)

    def score(self, record):
        time.sleep(float(record.output))
        return 1.0


class Skips:
    bounded = True
    reads = ("output",)

    def score(self, record):
        return Skipped("no reference")


class SleepsAndTells:
    """When it computed, by the clock that all processes of a host share."""

    reads = ("output",)

    def score(self, record):
        begun = time.monotonic()
        time.sleep(float(record.output.split()[0]))
        return Score(1.0, evidence=[begun, time.monotonic()])


class AsksAHelper:
    """Leans on a process that its constructor started."""

    reads = ("output",)

    def __init__(self):
        self.helper = subprocess.Popen(["sleep", "600"])

    def score(self, record):
        if record.output == "kill me":
            os.kill(os.getpid(), 9)
        return float(Path(f"/proc/{self.helper.pid}/cmdline").read_bytes() != b"")
