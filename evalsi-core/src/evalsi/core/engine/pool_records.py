"""Records through worker processes: a clock for every call, kept by SIGKILL from outside.

A worker streams one frame a call and the clock starts again at each. At the deadline the worker
is killed, the call that it was at errs, and the rest goes to a fresh worker.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from evalsi.core.engine.frames import FrameLost, decode
from evalsi.core.engine.pool import NoWorker, Worker, WorkerPool
from evalsi.core.engine.stop import Halt
from evalsi.core.records import Record
from evalsi.core.results import Errored, Failure, Result
from evalsi.core.spec.bound import Bound

__all__ = ["Give", "RecordCalls", "evaluator_load"]

Give: TypeAlias = Callable[[int, list[Result], float], None]
"""Takes a call's number, its results and its seconds."""


def evaluator_load(bound: Bound, deadline_s: float) -> Mapping[str, Any]:
    """What the template of an evaluator loads."""
    return {
        "kind": "evaluator",
        "target": bound.target,
        "settings": bound.settings,
        "entry": bound.entry,
        "metrics": dict(bound.metrics),
        "needs": bound.needs,
        "min_isolation": bound.min_isolation,
        "deadline_s": deadline_s,
    }


class RecordCalls:
    """Runs an evaluator's calls in the workers of its pool. Safe from many threads.

    Args:
        pool: its workers.
        bound: the evaluator.
        deadline_s: seconds a call.
    """

    def __init__(self, pool: WorkerPool, bound: Bound, deadline_s: float) -> None:
        self._pool = pool
        self._bound = bound
        self._deadline_s = deadline_s

    def run(self, calls: Sequence[Sequence[Record]], give: Give, halt: Halt) -> None:
        """Runs every call to a result; a batch that kills its worker is tried one by one."""
        left = self._sent(calls, give)
        while left and not halt.stopped:
            try:
                worker = self._pool.lease()
            except NoWorker as none:
                for sent in left:
                    give(sent.number, [Errored(none.failure)] * len(sent.call), 0.0)
                return
            usable = False
            try:
                with halt.holding(worker.kill):
                    usable = self._drive(worker, left, give, halt)
            finally:
                self._pool.take_back(worker, usable=usable)

    def _sent(self, calls: Sequence[Sequence[Record]], give: Give) -> deque[_Sent]:
        left: deque[_Sent] = deque()
        for number, call in enumerate(calls):
            try:
                left.append(_Sent(number, call, pickle.dumps(call)))
            except Exception as error:  # noqa: BLE001 - whatever a foreign object raises
                why = Failure("data", f"the rollout cannot go to a worker: {error}")
                give(number, [Errored(why)] * len(call), 0.0)
        return left

    def _drive(self, worker: Worker, left: deque[_Sent], give: Give, halt: Halt) -> bool:
        """Feeds one worker; False when it must be replaced."""
        blameless = not worker.fresh  # it may have died while it was idle
        while left and not halt.stopped:
            sent = left.popleft()
            begun = time.monotonic()
            answer = _answer(worker, sent, begun + self._deadline_s)
            if isinstance(answer, list):
                give(sent.number, answer, time.monotonic() - begun)
                blameless = False
                continue
            if answer is not None and blameless:
                left.appendleft(sent)
                return False
            why = answer or Failure(
                "deadline",
                f"no answer within {self._deadline_s:g} s; its worker was killed",
                self._bound.by.evaluator,
            )
            if len(sent.call) > 1 and self._bound.entry.endswith("_batch"):
                self._one_by_one(sent, give, halt)
            else:
                give(sent.number, [Errored(why)] * len(sent.call), time.monotonic() - begun)
            return False
        return True

    def _one_by_one(self, sent: _Sent, give: Give, halt: Halt) -> None:
        found: dict[int, list[Result]] = {}
        spent = [0.0]

        def keep(index: int, results: list[Result], seconds: float) -> None:
            found[index] = results
            spent[0] += seconds

        self.run([[record] for record in sent.call], keep, halt)
        if len(found) == len(sent.call):  # else the batch was stopped
            give(sent.number, [found[index][0] for index in range(len(sent.call))], spent[0])


class _Sent(NamedTuple):
    number: int
    call: Sequence[Record]
    payload: bytes


def _answer(worker: Worker, sent: _Sent, deadline: float) -> list[Result] | Failure | None:
    """Results; a failure when the worker ended or broke the form; None at the deadline."""
    try:
        worker.send(sent.payload)
        payload = worker.receive(deadline)
        if payload is None:
            return None
        results = decode(payload)
    except FrameLost as lost:
        return worker.ended(lost)
    if len(results) != len(sent.call):
        count = len(sent.call)
        return Failure("evaluator", f"its worker sent {len(results)} results for {count}")
    return results
