"""Calls of many requests, put together into batches for the engine.

OpenRLHF sends a request a rollout. A batch begins at once while there is a place for it; what
arrives meanwhile makes the next ones, so that batches grow with the load and nobody waits for
company.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Final

from evalsi.core.engine import Stop
from evalsi.core.records import Record
from evalsi.core.reward.function import RewardFunction
from evalsi.core.reward.loaded import Settled

__all__ = ["Batcher"]

_PLACES: Final = 64
"""Batches at once. Most of them wait: for workers, jails or servers, or for the interpreter."""

_LARGEST: Final = 1024


class Batcher:
    """Scores the records of many calls with one reward. For one event loop.

    Args:
        function: the reward.
        threads: where batches run; they block.
        places: batches at once.

    Attributes:
        waiting: records that no batch has taken.
    """

    def __init__(
        self, function: RewardFunction, threads: Executor, *, places: int = _PLACES
    ) -> None:
        self.function = function
        self._threads = threads
        self._places = self._free = places
        self._waiting: deque[_Call] = deque()
        self._running: set[Stop] = set()
        self._tasks: set[asyncio.Task[None]] = set()  # the loop holds them weakly
        self._ended: Exception | None = None
        self.waiting = 0

    async def settled(self, records: Sequence[Record], ended: Callable[[], None]) -> list[Settled]:
        """Reward and total of every record, in order.

        A call that is cancelled before its batch begins is dropped; later its batch goes on, and
        what it finds is in the cache for the next try.

        Args:
            records: of one request; for group scope they are grouped among themselves only.
            ended: called once, when neither the queue nor the engine holds them any more.
        """
        call = _Call(records, asyncio.get_running_loop().create_future(), ended)
        self._waiting.append(call)
        self.waiting += len(records)
        self._begin()
        try:
            return await call.settled
        except asyncio.CancelledError:
            if call in self._waiting:
                self._waiting.remove(call)
                self.waiting -= len(records)
                ended()
            raise

    def stop(self, error: Exception) -> None:
        """Drops what waits and ends every batch that runs; their calls raise `error`."""
        self._ended = error
        while self._waiting:
            call = self._waiting.popleft()
            self.waiting -= len(call.records)
            call.fail(error)
            call.ended()
        for stop in self._running:
            stop.now()

    def _begin(self) -> None:
        while self._waiting and self._free:
            self._free -= 1
            task = asyncio.get_running_loop().create_task(self._run(self._next()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _next(self) -> list[_Call]:
        """The calls of the next batch: of what waits, as much as falls to one place."""
        share = 1 if self.function.grouped else min(_LARGEST, -(-self.waiting // self._places))
        calls = [self._waiting.popleft()]
        count = len(calls[0].records)
        while self._waiting and count + len(self._waiting[0].records) <= share:
            calls.append(self._waiting.popleft())
            count += len(calls[-1].records)
        self.waiting -= count
        return calls

    async def _run(self, calls: list[_Call]) -> None:
        records = [record for call in calls for record in call.records]
        stop = Stop()
        self._running.add(stop)
        try:
            loop = asyncio.get_running_loop()
            rows = await loop.run_in_executor(self._threads, self.function.rewards, records, stop)
            if self._ended is not None:
                raise self._ended  # what was killed has no result of its own
            for call in calls:
                call.give(rows[: len(call.records)])
                rows = rows[len(call.records) :]
        except Exception as error:  # noqa: BLE001 - told to every call that waits for it
            for call in calls:
                call.fail(self._ended or error)
        finally:
            self._running.discard(stop)
            self._free += 1
            for call in calls:
                call.ended()
            self._begin()


class _Call:
    __slots__ = ("ended", "records", "settled")

    def __init__(
        self,
        records: Sequence[Record],
        settled: asyncio.Future[list[Settled]],
        ended: Callable[[], None],
    ) -> None:
        self.records = records
        self.settled = settled
        self.ended = ended

    def give(self, rows: list[Settled]) -> None:
        if not self.settled.done():
            self.settled.set_result(rows)

    def fail(self, error: Exception) -> None:
        if not self.settled.done():
            self.settled.set_exception(error)
