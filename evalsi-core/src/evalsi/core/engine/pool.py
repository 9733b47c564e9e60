"""Worker processes of one evaluator: a clock for every record, kept by SIGKILL from outside.

A worker streams one frame a call and the clock starts again at each. At the deadline the worker
is killed, the call that it was at errs, and the rest goes to a fresh worker.
"""

from __future__ import annotations

import contextlib
import json
import pickle
import select
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from evalsi.core.engine.client import Keeper, Kept, pair, request
from evalsi.core.engine.frames import FrameLost, decode, receive, send
from evalsi.core.engine.stop import Halt
from evalsi.core.errors import EngineError, EvalsiError
from evalsi.core.records import Record
from evalsi.core.results import Errored, Failure, Result
from evalsi.core.spec.bound import Bound

__all__ = ["Give", "WorkerPool"]

Give: TypeAlias = Callable[[int, list[Result], float], None]
"""Takes a call's number, its results and its seconds."""

_LOAD_S: Final = 120.0
_SEND_S: Final = 30.0


class WorkerPool:
    """Workers of one evaluator, started as they are needed. Safe from many threads.

    Args:
        keeper: gives the engine's present keeper.
        bound: the evaluator.
        memory_mb: MiB of writable memory a worker.
        deadline_s: seconds a call.
    """

    def __init__(
        self, keeper: Callable[[], Keeper], bound: Bound, memory_mb: int, deadline_s: float
    ) -> None:
        self._keeper = keeper
        self._deadline_s = deadline_s
        self._bound = bound
        self._memory_mb = memory_mb
        self._lock = threading.Lock()
        self._template: _Template | None = None
        self._idle: list[_Worker] = []

    def run(self, calls: Sequence[Sequence[Record]], give: Give, halt: Halt) -> None:
        """Runs every call to a result; a batch that kills its worker is tried one by one."""
        left = self._sent(calls, give)
        while left and not halt.stopped:
            try:
                worker = self._lease()
            except (EvalsiError, _LoadFailed, OSError) as error:
                why = error.failure if isinstance(error, _LoadFailed) else _engine(error)
                for sent in left:
                    give(sent.number, [Errored(why)] * len(sent.call), 0.0)
                return
            usable = False
            try:
                with halt.holding(worker.kill):
                    usable = self._drive(worker, left, give, halt)
            finally:
                self._take_back(worker, usable=usable)

    def _sent(self, calls: Sequence[Sequence[Record]], give: Give) -> deque[_Sent]:
        left: deque[_Sent] = deque()
        for number, call in enumerate(calls):
            try:
                left.append(_Sent(number, call, pickle.dumps(call)))
            except Exception as error:  # noqa: BLE001 - whatever a foreign object raises
                why = Failure("data", f"the rollout cannot go to a worker: {error}")
                give(number, [Errored(why)] * len(call), 0.0)
        return left

    def _drive(self, worker: _Worker, left: deque[_Sent], give: Give, halt: Halt) -> bool:
        """Feeds one worker; False when it must be replaced."""
        blameless = not worker.fresh  # it may have died while it was idle
        while left and not halt.stopped:
            sent = left.popleft()
            begun = time.monotonic()
            answer = worker.answer(sent, begun + self._deadline_s)
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

    def _take_back(self, worker: _Worker, *, usable: bool) -> None:
        if not usable:
            worker.close()
            return
        with self._lock:
            self._idle.append(worker)

    def _one_by_one(self, sent: _Sent, give: Give, halt: Halt) -> None:
        found: dict[int, list[Result]] = {}
        spent = [0.0]

        def keep(index: int, results: list[Result], seconds: float) -> None:
            found[index] = results
            spent[0] += seconds

        self.run([[record] for record in sent.call], keep, halt)
        if len(found) == len(sent.call):  # else the batch was stopped
            give(sent.number, [found[index][0] for index in range(len(sent.call))], spent[0])

    def _lease(self) -> _Worker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if self._template is not None:
                with contextlib.suppress(EngineError):
                    return self._template.fork(self._memory_mb)
                self._template.close()  # it is gone, or its keeper is
                self._template = None
            self._template = _Template(self._keeper(), self._bound, self._deadline_s)
            return self._template.fork(self._memory_mb)

    def close(self) -> None:
        """Ends every idle worker and the template."""
        with self._lock:
            for worker in self._idle:
                worker.close()
            self._idle.clear()
            if self._template is not None:
                self._template.close()
                self._template = None


class _Sent(NamedTuple):
    number: int
    call: Sequence[Record]
    payload: bytes


class _LoadFailed(Exception):  # noqa: N818 - an event; its failure is what is reported
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class _Template:
    def __init__(self, keeper: Keeper, bound: Bound, deadline_s: float) -> None:
        self._control, theirs = pair()
        what = {
            "path": sys.path,
            "target": bound.target,
            "settings": bound.settings,
            "entry": bound.entry,
            "metrics": dict(bound.metrics),
            "needs": bound.needs,
            "min_isolation": bound.min_isolation,
            "deadline_s": deadline_s,
        }
        try:
            with theirs:
                self._kept = keeper.template(what, theirs)
        except BaseException:
            self._control.close()
            raise
        self._wait_ready(bound.by.evaluator)

    def _wait_ready(self, name: str) -> None:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        message: tuple[Any, ...] = ("lost",)
        if not poll.poll(_LOAD_S * 1000):
            message = ("failed", "deadline", f"{name} did not load within {_LOAD_S:g} s", name)
        else:
            with contextlib.suppress(OSError, ValueError):
                message = tuple(json.loads(self._control.recv(1 << 16)))
        if message[0] != "ready":
            lost = ("evaluator", f"{name} ended its process while it loaded", name)
            self.close()
            raise _LoadFailed(Failure(*(message[1:] or lost)))

    def fork(self, memory_mb: int) -> _Worker:
        ours, theirs = pair(socket.SOCK_STREAM)
        try:
            with theirs:
                kept = request(self._control, {"memory_mb": memory_mb}, [theirs.fileno()])
        except BaseException:
            ours.close()
            raise
        return _Worker(kept, ours)

    def close(self) -> None:
        self._kept.close()
        self._control.close()


class _Worker:
    def __init__(self, kept: Kept, wire: socket.socket) -> None:
        self._kept = kept
        self._wire = wire
        self._wire.settimeout(_SEND_S)
        self.fresh = True

    def answer(self, sent: _Sent, deadline: float) -> list[Result] | Failure | None:
        """Results; a failure when the worker ended or broke the form; None at the deadline."""
        self.fresh = False
        try:
            send(self._wire, sent.payload)
            payload = receive(self._wire, deadline)
            if payload is None:
                return None
            results = decode(payload)
        except FrameLost as lost:
            return self.ended(str(lost))
        if len(results) != len(sent.call):
            count = len(sent.call)
            return Failure("evaluator", f"its worker sent {len(results)} results for {count}")
        return results

    def kill(self) -> None:
        """Ends it, from any thread."""
        self._kept.kill()

    def ended(self, lost: str = "") -> Failure:
        """What became of the worker, for a person."""
        try:
            finished = self._kept.wait(1.0)
        except (EngineError, OSError) as error:
            return _engine(error)
        if finished is None:
            return Failure("evaluator", f"its worker broke the protocol: {lost}")
        how = f"signal {-finished.status}" if finished.status < 0 else f"status {finished.status}"
        return Failure("evaluator", f"its worker process ended by {how}")

    def close(self) -> None:
        self._wire.close()
        self._kept.close()


def _engine(error: Exception) -> Failure:
    return Failure("engine", str(error), retryable=True)
