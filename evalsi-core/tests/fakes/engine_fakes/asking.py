"""Evaluators that ask workers."""

import threading

from engine_fakes import functions
from evalsi.core import Batch, Errored, Need, Score
from evalsi.core.engine import tools_for
from evalsi.core.workers import Faulted, Reply, TimedOut


class Asks:
    """1 for a reply; the sleep is the output; tells its thread and how many came together."""

    bounded = True
    needs = frozenset({Need.WORKERS})
    reads = ("output",)
    batch = Batch(max_records=64)

    def __init__(self):
        self._workers = tools_for({Need.WORKERS}, None).workers

    def score_batch(self, records):
        sleeps = [float(record.output) for record in records]
        answers = self._workers.map(f"{functions.__name__}:where", sleeps, deadline_s=5.0)
        return [_score(answer, len(records)) for answer in answers]


class AsksUnbounded(Asks):
    """The same in a worker process."""

    bounded = False


class AsksHostile(Asks):
    """1 for a reply, 0 for a timeout, an error for a fault."""

    def score_batch(self, records):
        deeds = [record.output for record in records]
        answers = self._workers.map(f"{functions.__name__}:deed", deeds, deadline_s=0.5)
        return [_score(answer, len(records)) for answer in answers]


def _score(answer, together):
    if isinstance(answer, Faulted):
        return Errored(answer.failure)
    thread = threading.current_thread().name
    seconds = answer.seconds if isinstance(answer, TimedOut) else None
    evidence = {"thread": thread, "together": together, "seconds": seconds}
    return Score(float(isinstance(answer, Reply)), evidence=evidence, stable=False)
