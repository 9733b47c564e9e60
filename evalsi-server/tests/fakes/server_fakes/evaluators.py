import time

from pydantic import BaseModel

from evalsi.core import Need, Score, Skipped
from evalsi.core.errors import SandboxUnavailable


class Says:
    bounded = True
    reads = ("output",)

    def score(self, record):
        return Skipped("it says so") if record.output == "skip" else float(record.output)


class Matches:
    bounded = True
    reads = ("output", "reference")

    def score(self, record):
        return Skipped() if record.reference is None else record.output == str(record.reference)


class Cases:
    bounded = True
    reads = ("metadata.tests",)

    def score(self, record):
        return float(len(record.metadata["tests"]))


class Outage:
    bounded = True
    reads = ("output",)

    def score(self, record):
        if record.output == "away":
            raise SandboxUnavailable("no usable rung")
        return 1.0


class Grouped:
    bounded = True
    reads = ("output",)

    def score_group(self, records):
        return [float(len(records)) for _ in records]


class Sleeps:
    """Sleeps as many seconds as the completion says, in a worker; cached when it says `keep`."""

    reads = ("output",)

    def score(self, record):
        time.sleep(float(record.output.split()[0]))
        return Score(1.0, stable="keep" in record.output)


class Jailed:
    bounded = True
    reads = ("output",)
    needs = frozenset({Need.SANDBOX})

    class Params(BaseModel):
        model_config = {"extra": "forbid", "frozen": True}

    def __init__(self, params, tools):
        self.tools = tools

    def score(self, record):
        self.tools.sandbox.python()
        return 1.0
