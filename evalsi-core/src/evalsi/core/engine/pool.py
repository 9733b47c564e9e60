"""Worker processes that are forked from one template, each replaced when it was killed."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from evalsi.core.engine.client import Keeper, Kept, pair, request
from evalsi.core.engine.frames import FrameLost, HungUp, receive, send
from evalsi.core.errors import EngineError, EvalsiError
from evalsi.core.results import Failure

__all__ = ["NoWorker", "Worker", "WorkerPool"]

_LOAD_S: Final = 120.0
_SEND_S: Final = 30.0
_END_S: Final = 1.0
"""Between the end of a worker's wire and the news of how it ended."""


class NoWorker(Exception):  # noqa: N818 - an event; its failure is what is reported
    """No worker can be had: what it runs does not load, or the keeper is gone."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class WorkerPool:
    """Workers of one piece of work, started as they are needed. Safe from many threads.

    Args:
        keeper: gives the engine's present keeper.
        name: what failures call the work.
        load: what the template loads, as `work.load` takes it.
        memory_mb: MiB of writable memory a worker.
    """

    def __init__(
        self, keeper: Callable[[], Keeper], name: str, load: Mapping[str, Any], memory_mb: int
    ) -> None:
        self._keeper = keeper
        self._name = name
        self._load = load
        self.memory_mb = memory_mb
        self._lock = threading.Lock()
        self._template: _Template | None = None
        self._idle: list[Worker] = []

    def lease(self, *, fresh: bool = False) -> Worker:
        """A worker that is idle, or a new one; raises `NoWorker`."""
        try:
            return self._leased(fresh=fresh)
        except (EvalsiError, OSError) as error:
            raise NoWorker(_engine(error)) from error

    def take_back(self, worker: Worker, *, usable: bool) -> None:
        """Keeps a worker for later, or ends it."""
        if not usable:
            worker.close()
            return
        with self._lock:
            self._idle.append(worker)

    def _leased(self, *, fresh: bool) -> Worker:
        with self._lock:
            if self._idle and not fresh:
                return self._idle.pop()
            if self._template is not None:
                with contextlib.suppress(EngineError):
                    return self._template.fork(self.memory_mb)
                self._template.close()  # it is gone, or its keeper is
                self._template = None
            self._template = _Template(self._keeper(), self._name, self._load)
            return self._template.fork(self.memory_mb)

    def close(self) -> None:
        """Ends every idle worker and the template."""
        with self._lock:
            for worker in self._idle:
                worker.close()
            self._idle.clear()
            if self._template is not None:
                self._template.close()
                self._template = None


class _Template:
    def __init__(self, keeper: Keeper, name: str, load: Mapping[str, Any]) -> None:
        self._control, theirs = pair()
        try:
            with theirs:
                self._kept = keeper.template({"path": sys.path, "load": dict(load)}, theirs)
        except BaseException:
            self._control.close()
            raise
        self._wait_ready(name)

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
            raise NoWorker(Failure(*(message[1:] or lost)))

    def fork(self, memory_mb: int) -> Worker:
        ours, theirs = pair(socket.SOCK_STREAM)
        try:
            with theirs:
                kept = request(self._control, {"memory_mb": memory_mb}, [theirs.fileno()])
        except BaseException:
            ours.close()
            raise
        return Worker(kept, ours)

    def close(self) -> None:
        self._kept.close()
        self._control.close()


class Worker:
    """A worker process: takes a frame, answers with a frame."""

    def __init__(self, kept: Kept, wire: socket.socket) -> None:
        self._kept = kept
        self._wire = wire
        self._wire.settimeout(_SEND_S)
        self.fresh = True
        """Whether it has had no frame yet."""

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._kept.pid

    def fileno(self) -> int:
        """Readable when it answers or has ended."""
        return self._wire.fileno()

    def send(self, payload: bytes) -> None:
        """Gives it a frame; raises `FrameLost` when it has ended."""
        self.fresh = False
        send(self._wire, payload)

    def receive(self, deadline: float) -> bytes | None:
        """Its frame, or None at the deadline; raises `FrameLost`."""
        return receive(self._wire, deadline)

    def kill(self) -> None:
        """Ends it, from any thread."""
        self._kept.kill()

    def ended(self, lost: FrameLost) -> Failure:
        """What became of the worker, for a person."""
        try:
            finished = self._kept.wait(_END_S if isinstance(lost, HungUp) else 0.0)
        except (EngineError, OSError) as error:
            return _engine(error)
        if finished is None:
            return Failure("evaluator", f"its worker broke the protocol: {lost}")
        how = f"signal {-finished.status}" if finished.status < 0 else f"status {finished.status}"
        return Failure("evaluator", f"its worker process ended by {how}")

    def close(self) -> None:
        """Kills it if it runs, and lets go of it."""
        self._wire.close()
        self._kept.close()


def _engine(error: Exception) -> Failure:
    return Failure("engine", str(error), retryable=True)
