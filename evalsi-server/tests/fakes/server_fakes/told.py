"""Evaluators whose results the row states, or that leave a trace."""

import os
from pathlib import Path

from pydantic import BaseModel

from evalsi.core import Errored, Failure, Score, Skipped

LOST = Failure("sandbox", "no usable rung", "told", retryable=True)


class Told:
    """What the row states, as the shared vectors do."""

    bounded = True
    reads = ("metadata.results",)

    class Params(BaseModel):
        model_config = {"extra": "forbid", "frozen": True}
        of: str

    def __init__(self, params, tools):
        self._of = params.of

    def score(self, record):
        given = record.metadata["results"][self._of]
        if given["status"] == "scored":
            return Score(float(given["value"]))
        return Skipped() if given["status"] == "skipped" else Errored(LOST)


class Logged:
    """Appends the completion to a file, so that tests see what was scored, and how often."""

    bounded = True
    reads = ("output",)

    def score(self, record):
        with Path(os.environ["EVALSI_TEST_LOG"]).open("a") as file:
            file.write(record.output + "\n")
        return Score(1.0, stable=False)
