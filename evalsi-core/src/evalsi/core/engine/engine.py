"""The engine: one a process, created at its first use, forgotten by forked children."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from evalsi.core.engine.cache import ContentCache
from evalsi.core.engine.calls import call
from evalsi.core.engine.client import Keeper
from evalsi.core.engine.column import Column
from evalsi.core.engine.crew import Crew, Job
from evalsi.core.engine.digest import digest
from evalsi.core.engine.lanes import Lane, lane_of, late, patience_s
from evalsi.core.engine.lease import Lease
from evalsi.core.engine.loop import Loop
from evalsi.core.engine.pool import WorkerPool
from evalsi.core.engine.pool_functions import FunctionCalls
from evalsi.core.engine.pool_records import RecordCalls, evaluator_load
from evalsi.core.engine.stop import Halt, Pending, Stop
from evalsi.core.engine.tokens import Cores, CoreTokens, OwnCores, cores
from evalsi.core.engine.tools import Ladder
from evalsi.core.errors import EngineError, EvalsiError
from evalsi.core.evaluator import Need
from evalsi.core.plugins import PluginHost, default_host
from evalsi.core.records import Record
from evalsi.core.results import ComponentResult, Failure, Result
from evalsi.core.sandbox import Launch, Process
from evalsi.core.spec.bound import Bound

__all__ = ["Engine"]

_CHUNK: Final = 32
"""Most calls that go to a worker at once: enough to hide the wire, few enough to share."""


class Engine:
    """Runs bound evaluators over records, each in its lane. Safe from many threads.

    Args:
        host: where rungs are found; by default every installed pack.
        width: threads and workers that compute at once; by default the cores of this process,
            which are then shared with the host's other engines.
        worker_memory_mb: MiB of writable memory of a worker process.
    """

    def __init__(
        self,
        host: PluginHost | None = None,
        *,
        width: int | None = None,
        worker_memory_mb: int = 4096,
    ) -> None:
        self._host = host
        self._worker_memory_mb = worker_memory_mb
        self.width = width or len(cores())
        self._cores: Cores | None = None if width is None else OwnCores(width)
        self.cache = ContentCache()
        self._lock = threading.RLock()
        self._keeper: Keeper | None = None
        self._ladder: Ladder | None = None
        self._loop: Loop | None = None
        self._threads: Crew | None = None
        self._pools: dict[bytes | None, WorkerPool] = {}
        self._closed = False

    @property
    def launcher(self) -> Keeper:
        """The keeper, started at first use and again when it died."""
        with self._lock:
            if self._closed:
                raise EngineError("the engine was closed; the next call starts another")
            if self._keeper is not None and not self._keeper.alive:
                self._keeper.close()
                self._keeper = None
            self._keeper = self._keeper or Keeper()
            return self._keeper

    @property
    def ladder(self) -> Ladder:
        """The sandbox rungs of the installed packs."""
        with self._lock:
            if self._ladder is None:
                self._ladder = Ladder(self._host or default_host(), self)
            return self._ladder

    def launch(self, what: Launch) -> Process:
        """Starts a process through the present keeper: an engine is a `Launcher`."""
        return self.launcher.launch(what)

    def evaluate(  # noqa: PLR0913 - each is a word of the contract
        self,
        bounds: Sequence[Bound],
        records: Sequence[Record],
        *,
        groups: Sequence[Sequence[int]] = (),
        cached: bool = True,
        deadline_s: float | None = None,
        stop: Stop | None = None,
    ) -> list[tuple[ComponentResult, ...]]:
        """Every bound's result for every record, in the order of both.

        Args:
            bounds: the evaluators.
            records: the batch.
            groups: the records of each prompt, by index, for group scope; default: one group.
            cached: whether equal content is evaluated once, now and later.
            deadline_s: seconds a call may take, those in a judge's queue apart; default: 60 in
                worker processes; in jails and with a judge what their own limits give.
            stop: lets another thread drop the calls that have not begun; the result is then
                not complete and must not be used.
        """
        groups = groups or [range(len(records))]
        stop = stop or Stop()
        columns = [self._column(bound, records, groups, cached=cached) for bound in bounds]
        here = [column for column in columns if lane_of(column.bound) is Lane.CALLER]
        with stop.batch() as batch:
            for column in columns:
                if column not in here and column.calls:
                    batch.add(self._start(column, deadline_s, stop, batch.halt))
            for column in here:
                _run_here(column, deadline_s, batch.halt)
            batch.wait()
        return list(zip(*(column.finished() for column in columns), strict=True))

    def _column(
        self,
        bound: Bound,
        records: Sequence[Record],
        groups: Sequence[Sequence[int]],
        *,
        cached: bool,
    ) -> Column:
        rung, failure = "", None
        if Need.SANDBOX in bound.needs:
            try:
                rung = self.ladder.fork(bound.min_isolation).rung
            except EvalsiError as error:
                failure = Failure.of(error)
        column = Column(bound, rung, records, groups, self.cache if cached else None)
        if failure is not None:
            column.fail(failure)
        return column

    def _start(self, column: Column, deadline_s: float | None, caller: Stop, halt: Halt) -> Pending:
        lane = lane_of(column.bound)
        calls = column.calls
        if lane is Lane.LOOP:
            return self._start_loop(column, calls, deadline_s or patience_s(column.bound))
        if lane is Lane.WORKER:
            waits_s = deadline_s or patience_s(column.bound)
            tasks = self._worker_tasks(column, calls, waits_s, halt)
        else:
            tasks = [
                partial(self._leased, column, number, call, Lease(deadline_s), halt)
                for number, call in enumerate(calls)
            ]
        return self._crew().submit(Job(tasks, caller))

    def _worker_tasks(
        self,
        column: Column,
        calls: Sequence[Sequence[Record]],
        deadline_s: float,
        halt: Halt,
    ) -> list[Callable[[], None]]:
        size = max(1, min(_CHUNK, -(-len(calls) // self.width)))

        def task(first: int) -> None:
            def give(number: int, results: Sequence[Result], seconds: float) -> None:
                column.give(first + number, results, seconds)

            with self.cores.hold():
                self._record_calls(column.bound, deadline_s).run(
                    calls[first : first + size], give, halt
                )

        return [partial(task, first) for first in range(0, len(calls), size)]

    def _start_loop(
        self, column: Column, calls: Sequence[Sequence[Record]], deadline_s: float
    ) -> Pending:
        with self._lock:
            self._loop = self._loop or Loop()
        return self._loop.start(column.bound, calls, column.give, deadline_s)

    def _leased(
        self, column: Column, number: int, records: Sequence[Record], lease: Lease, halt: Halt
    ) -> None:
        bound = column.bound
        begun = time.perf_counter()
        with self.cores.hold(), halt.holding(lease.kill), lease:
            begun = time.perf_counter()
            results = call(bound.instance, bound.entry, bound.metrics, records)
        if lease.expired:
            results = [late(bound, lease.deadline_s)] * len(records)
        column.give(number, results, time.perf_counter() - begun)

    @property
    def cores(self) -> Cores:
        """The host's cores; who chose the width himself has his own."""
        with self._lock:
            self._cores = self._cores or CoreTokens()
            return self._cores

    def _crew(self) -> Crew:
        with self._lock:
            self._threads = self._threads or Crew(self.width, "evalsi-crew")
            return self._threads

    def function_calls(
        self, function: str, warm_up: str, memory_mb: int, deadline_s: float, left_s: float
    ) -> FunctionCalls:
        """One `map` of the tool `Workers`, in the pool that such a function has here."""
        load = {"kind": "function", "function": function, "warm_up": warm_up}
        pool = self._pool(digest(function, warm_up, memory_mb), function, load, memory_mb)
        return FunctionCalls(pool, self.cores, self.width, deadline_s, left_s)

    def _record_calls(self, bound: Bound, deadline_s: float) -> RecordCalls:
        key = digest(bound.target, bound.settings, bound.entry, bound.min_isolation, deadline_s)
        load = evaluator_load(bound, deadline_s)
        pool = self._pool(key, bound.by.evaluator, load, self._worker_memory_mb)
        return RecordCalls(pool, bound, deadline_s)

    def _pool(
        self, key: bytes | None, name: str, load: Mapping[str, Any], memory_mb: int
    ) -> WorkerPool:
        with self._lock:
            if key not in self._pools:
                find = partial(getattr, self, "launcher")
                self._pools[key] = WorkerPool(find, name, load, memory_mb)
            return self._pools[key]

    def forget(self) -> None:
        """Lets go, in a forked child, of what belongs to the parent."""
        if self._keeper is not None:
            self._keeper.forget()

    def close(self) -> None:
        """Ends threads, workers and jails; the engine is not used again."""
        with self._lock:
            self._closed = True
            keeper, self._keeper = self._keeper, None
        # The keeper first: what runs in its processes ends, and the threads that wait with it.
        if keeper is not None:
            keeper.close()
        if self._threads is not None:
            self._threads.close()
        if self._loop is not None:
            self._loop.close()
        for pool in self._pools.values():
            pool.close()
        if self._ladder is not None:
            self._ladder.close()


def _run_here(column: Column, deadline_s: float | None, halt: Halt) -> None:
    bound = column.bound
    for number, records in enumerate(column.calls):
        begun = time.perf_counter()
        with _leash(bound, deadline_s, halt):
            results = call(bound.instance, bound.entry, bound.metrics, records)
        column.give(number, results, time.perf_counter() - begun)


@contextlib.contextmanager
def _leash(bound: Bound, deadline_s: float | None, halt: Halt) -> Iterator[None]:
    """Holds what an evaluator asks workers for; without needs there is nothing to hold."""
    if not bound.needs:
        yield
        return
    lease = Lease(deadline_s, each=True)
    with halt.holding(lease.kill), lease:
        yield
