"""Payloads through worker processes: one caller's thread feeds many workers, one clock each.

A payload that is killed at its deadline, or that takes its process with it, costs a fork and
never another payload. What goes wrong in a worker that has served before, be it memory that was
used up or a process that ended, is tried once more in a fresh one before it is told.

A clock that runs while a busy machine lets the worker wait would make the answer a matter of who
else computes: who was given less than its seconds gets the rest before it is late.
"""

from __future__ import annotations

import json
import math
import select
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from evalsi.core.engine.frames import FrameLost
from evalsi.core.engine.own_time import OwnTime
from evalsi.core.engine.pool import NoWorker, Worker, WorkerPool
from evalsi.core.engine.tokens import Cores, core_held
from evalsi.core.errors import EngineError
from evalsi.core.results import JSON, Failure
from evalsi.core.workers import Faulted, OutOfMemory, Reply, TimedOut, WorkerAnswer

__all__ = ["FunctionCalls"]

_RETRY_CORE_S: Final = 0.02
_FRAME_S: Final = 1.0
"""A worker sends a frame at once, when it has it whole."""
_LEAST_S: Final = 0.01
_LONGEST: Final = 10.0
"""How many times its seconds a payload may take on a machine that is busy with others."""


class FunctionCalls:
    """One `map` over payloads; runs once.

    Args:
        pool: the function's workers.
        cores: where a core is taken for each worker that computes.
        width: workers at once, at most.
        deadline_s: seconds a payload.
        left_s: seconds that the caller has; no payload gets more, on whatever machine.
    """

    def __init__(
        self, pool: WorkerPool, cores: Cores, width: int, deadline_s: float, left_s: float
    ) -> None:
        self._pool = pool
        # Who holds a core computes on that one: waiting for a second could wait for ever.
        self._cores = None if core_held() else cores
        self._width = width if self._cores else 1
        self._deadline_s = min(deadline_s, left_s)
        self._longest_s = min(deadline_s * _LONGEST, left_s)
        self._poll = select.poll()
        self._left: deque[_Payload] = deque()
        self._busy: dict[int, _Busy] = {}
        self._answers: dict[int, WorkerAnswer] = {}
        self._killed = False

    def answers(self, payloads: Sequence[JSON]) -> list[WorkerAnswer]:
        """An answer for each payload, in order; raises `EngineError` when it was killed."""
        encoded = [json.dumps(payload).encode() for payload in payloads]
        self._left.extend(_Payload(number, data) for number, data in enumerate(encoded))
        try:
            while (self._left or self._busy) and not self._killed:
                self._start()
                if self._busy and not self._killed:
                    self._await()
        finally:
            for fd in list(self._busy):
                self._end(fd, usable=False)
        if self._killed:
            raise EngineError("the batch was stopped")
        return [self._answers[number] for number in range(len(encoded))]

    def kill(self) -> None:
        """Ends it from any thread."""
        self._killed = True
        for busy in list(self._busy.values()):
            busy.worker.kill()

    def _start(self) -> None:
        """Gives payloads to workers, as many as there are cores for."""
        while self._left and len(self._busy) < self._width:
            release = self._cores.take(wait=not self._busy) if self._cores else _nothing
            if release is None:
                return
            self._begin(self._left.popleft(), release)

    def _begin(self, payload: _Payload, release: Callable[[], None]) -> None:
        try:
            worker = self._pool.lease(fresh=payload.again)
        except NoWorker as none:
            release()
            for lost in (payload, *self._left):
                self._answers[lost.number] = Faulted(none.failure)
            self._left.clear()
            return
        except BaseException:
            release()
            raise
        served = not worker.fresh
        fd = worker.fileno()
        self._busy[fd] = _Busy(worker, payload, release, served, OwnTime(worker.pid))
        self._poll.register(fd, select.POLLIN)
        try:
            worker.send(payload.data)
        except FrameLost as lost:  # it ended while it was idle
            self._failed(fd, lost)
            return
        self._busy[fd].start(self._deadline_s, self._longest_s)

    def _await(self) -> None:
        """Waits until a worker answers, ends, or is late."""
        first = min(busy.deadline for busy in self._busy.values())
        left_s = max(0.0, first - time.monotonic())
        if self._left and len(self._busy) < self._width:
            left_s = min(left_s, _RETRY_CORE_S)
        # Rounded up: a poll that returns early would only be repeated.
        for fd, _ in self._poll.poll(left_s * 1000 + 1):
            self._read(fd)
        now = time.monotonic()
        late = {fd for fd, busy in self._busy.items() if busy.deadline <= now}
        if late:
            for fd in late - {fd for fd, _ in self._poll.poll(0)}:
                self._late(fd, now)

    def _late(self, fd: int, now: float) -> None:
        busy = self._busy[fd]
        owed_s = self._deadline_s - busy.own.spent_s()
        if owed_s > 0 and now < busy.last and busy.own.wants_to_run():
            busy.deadline = min(now + max(owed_s, _LEAST_S), busy.last)
        else:
            self._answer(fd, TimedOut(self._deadline_s), usable=False)

    def _read(self, fd: int) -> None:
        busy = self._busy[fd]
        try:
            # It is there: one that came in time may be read a little late.
            frame = busy.worker.receive(time.monotonic() + _FRAME_S)
            if frame is None:
                raise FrameLost("half a frame")
            answer = _decoded(frame)
        except FrameLost as lost:
            self._failed(fd, lost)
            return
        if answer is None:
            self._again(fd, OutOfMemory(self._pool.memory_mb))
        else:
            self._answer(fd, answer, usable=True)

    def _failed(self, fd: int, lost: FrameLost) -> None:
        failure = self._busy[fd].worker.ended(lost)
        if self._busy[fd].payload.again:
            failure = replace(failure, message=f"{failure.message}, and so did the one before it")
            self._answer(fd, Faulted(failure), usable=False)
        else:
            self._left.appendleft(replace(self._busy[fd].payload, again=True))
            self._end(fd, usable=False)

    def _again(self, fd: int, answer: WorkerAnswer) -> None:
        """Takes the answer of a fresh worker; what others left in a used one decides nothing."""
        if self._busy[fd].served:
            self._left.appendleft(replace(self._busy[fd].payload, again=True))
            self._end(fd, usable=False)
        else:
            self._answer(fd, answer, usable=False)

    def _answer(self, fd: int, answer: WorkerAnswer, *, usable: bool) -> None:
        self._answers[self._busy[fd].payload.number] = answer
        self._end(fd, usable=usable)

    def _end(self, fd: int, *, usable: bool) -> None:
        busy = self._busy.pop(fd)
        self._poll.unregister(fd)
        self._pool.take_back(busy.worker, usable=usable)
        busy.release()


@dataclass(frozen=True, slots=True)
class _Payload:
    number: int
    data: bytes
    again: bool = False


@dataclass(slots=True)
class _Busy:
    worker: Worker
    payload: _Payload
    release: Callable[[], None]
    served: bool
    own: OwnTime
    deadline: float = math.inf
    last: float = math.inf

    def start(self, deadline_s: float, longest_s: float) -> None:
        now = time.monotonic()
        self.deadline, self.last = now + deadline_s, now + longest_s


def _nothing() -> None:
    """What lets go of a core that was not taken."""


def _decoded(frame: bytes) -> Reply | Faulted | None:
    """What a worker said; None for too little memory; raises `FrameLost`."""
    try:
        kind, *fields = json.loads(frame)
        if kind == "reply":
            (value,) = fields
            return Reply(value)
        if kind == "raised":
            why, message, where = map(str, fields)
            return Faulted(Failure(why, message, where))
    except (ValueError, TypeError, RecursionError) as error:
        raise FrameLost(f"{type(error).__name__}: {error}") from error
    return None
