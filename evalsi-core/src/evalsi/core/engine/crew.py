"""A crew of threads that takes work from all callers in turn, so that none starves another."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from typing import TypeAlias

from evalsi.core.errors import EngineError

__all__ = ["Crew", "Job"]

Task: TypeAlias = Callable[[], None]
"""One piece of work, which keeps its own result."""


class Job:
    """Tasks that are waited for together; `wait` returns when the last has ended.

    Args:
        tasks: what is to be done, in order.
        caller: whose turn they take; jobs of one caller run in the order that they came.
    """

    def __init__(self, tasks: Iterable[Task], caller: object = None) -> None:
        self.tasks = deque(tasks)
        self.caller = self if caller is None else caller
        self._open = len(self.tasks)
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()
        if not self.tasks:
            self._done.set()

    def run_one(self, task: Task) -> None:
        """Runs one task and counts it."""
        try:
            task()
        except BaseException as error:  # noqa: BLE001 - raised again where the caller waits
            self._error = error
        finally:
            self._count(1)

    def cancel(self) -> None:
        """Drops the tasks that have not begun."""
        dropped = 0
        while True:
            try:
                self.tasks.popleft()
            except IndexError:
                break
            dropped += 1
        self._count(dropped)

    def wait(self) -> None:
        """Waits for the end, and raises what a task raised; that is a bug of the engine."""
        self._done.wait()
        if self._error is not None:
            raise self._error

    def _count(self, ended: int) -> None:
        with self._lock:
            self._open -= ended
            if self._open <= 0:
                self._done.set()


class Crew:
    """At most `width` threads, started as they are needed."""

    def __init__(self, width: int, name: str) -> None:
        self._width = width
        self._name = name
        self._callers: OrderedDict[int, deque[Job]] = OrderedDict()
        self._ready = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._closed = False

    def submit(self, job: Job) -> Job:
        """Puts a caller's tasks in line; the crew takes one task a caller, in turn."""
        with self._ready:
            if self._closed:
                raise EngineError("the engine was closed; the next call starts another")
            if not job.tasks:
                return job
            self._callers.setdefault(id(job.caller), deque()).append(job)
            # A thread that was woken is no longer idle, though it may not have run yet.
            woken = min(self._idle, len(job.tasks))
            self._idle -= woken
            self._ready.notify(woken)
            for _ in range(min(len(job.tasks) - woken, self._width - len(self._threads))):
                self._start()
        return job

    def _start(self) -> None:
        name = f"{self._name}-{len(self._threads)}"
        thread = threading.Thread(target=self._serve, name=name, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the machine has no thread left
            if not self._threads:
                raise EngineError(f"no thread could be started: {error}") from error
            return
        self._threads.append(thread)

    def close(self) -> None:
        """Lets the threads end after their present task; what waits is dropped."""
        with self._ready:
            self._closed = True
            for jobs in self._callers.values():
                for job in jobs:
                    job.cancel()
            self._ready.notify_all()
        for thread in self._threads:
            thread.join(timeout=10)

    def _serve(self) -> None:
        while (taken := self._take()) is not None:
            job, task = taken
            job.run_one(task)

    def _take(self) -> tuple[Job, Task] | None:
        with self._ready:
            while True:
                if (taken := self._next()) is not None:
                    return taken
                if self._closed:
                    return None
                self._idle += 1
                self._ready.wait()  # whoever notifies takes it off the idle ones

    def _next(self) -> tuple[Job, Task] | None:
        """The first task of the caller whose turn it is, who then goes to the end of the line."""
        while self._callers:
            caller, jobs = self._callers.popitem(last=False)
            while jobs:
                try:
                    task = jobs[0].tasks.popleft()
                except IndexError:  # done, or cancelled
                    jobs.popleft()
                    continue
                self._callers[caller] = jobs
                return jobs[0], task
        return None
