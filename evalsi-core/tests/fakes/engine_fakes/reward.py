"""Evaluators whose answer the rollout names."""

import os
import time
from pathlib import Path

from evalsi.core import DataError, SandboxUnavailable, Score, Skipped


class Says:
    """The number in the output; `skip`, `raise` and `data` do that."""

    bounded = True
    reads = ("output",)
    metrics = {"says": "higher", "half": "higher", "rare": "higher"}  # noqa: RUF012

    def score(self, record):
        if record.output == "skip":
            return Skipped("it said so")
        if record.output == "raise":
            raise RuntimeError("it said so")
        if record.output == "data":
            raise DataError("tests[0].input is missing")
        value = float(record.output)
        rare = {"rare": 7.0} if value == 1.0 else {}
        return Score(value, metrics={"half": value / 2, **rare})


class Outage:
    bounded = True
    reads = ("output",)

    def score(self, record):
        if record.output == "away":
            raise SandboxUnavailable("no rung is usable; evalsi sandbox check says why")
        return 1.0


class Slow:
    """Appends each output to a file, so that tests see what was scored, and how often."""

    reads = ("output",)

    def score(self, record):
        log = os.environ.get("EVALSI_TEST_LOG")
        if log:
            with Path(log).open("a") as file:
                file.write(record.output + "\n")
        time.sleep(0.02)
        return 1.0
