"""Records of many callers in one call: what comes together within `Batch.wait_ms` goes together.

A call takes the records that came first, whoever brought them, as soon as it is full or its first
record has waited long enough. A caller who leaves takes back what has not gone, and ends a call
that nobody waits for any more.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from evalsi.core.evaluator import Batch
from evalsi.core.records import Record
from evalsi.core.results import Result

__all__ = ["Joints", "Run"]

Run: TypeAlias = Callable[[Sequence[Record]], Awaitable[tuple[list[Result], float]]]
"""Gives the results of one call, and its seconds."""


class Joints:
    """Where the callers of each evaluator meet, in one event loop."""

    def __init__(self) -> None:
        self._held: dict[Any, _Joint] = {}

    async def results(
        self, key: object, batch: Batch, run: Run, records: Sequence[Record]
    ) -> tuple[list[Result], float]:
        """One result a record, in order, and the seconds that are their share.

        Args:
            key: what those have in common whose records may go together.
            batch: how many go together, and how long they wait.
            run: one call; it must not raise.
            records: of one caller.
        """
        joint = self._held.setdefault(key, _Joint(batch, run))
        joint.callers += 1
        try:
            return await joint.results(records)
        finally:
            joint.callers -= 1
            if not joint.callers:
                del self._held[key]


class _Joint:
    def __init__(self, batch: Batch, run: Run) -> None:
        self.callers = 0
        self._batch = batch
        self._run = run
        self._waiting: deque[_Place] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def results(self, records: Sequence[Record]) -> tuple[list[Result], float]:
        places = [_Place(record) for record in records]
        self._waiting.extend(places)
        self._start(least=self._batch.max_records)
        try:
            found = [await place.answer for place in places]
        finally:
            self._leave([place for place in places if not place.given])
        return [result for result, _ in found], sum(seconds for _, seconds in found)

    def _start(self, least: int) -> None:
        """Starts calls as long as so many records wait, and a clock for those that are left."""
        while len(self._waiting) >= least:
            count = min(self._batch.max_records, len(self._waiting))
            _Call(self._run, [self._waiting.popleft() for _ in range(count)])
        if self._timer is None and self._waiting:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._batch.wait_ms / 1000, self._due)
        elif self._timer is not None and not self._waiting:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        self._timer = None
        self._start(least=1)

    def _leave(self, places: list[_Place]) -> None:
        for place in places:
            place.answer.cancel()
            if place.call is None:
                self._waiting.remove(place)
            else:
                place.call.left()


class _Place:
    """One record, until its result is there."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.answer: asyncio.Future[tuple[Result, float]] = asyncio.Future()
        self.call: _Call | None = None

    @property
    def given(self) -> bool:
        """Whether its result is there; a caller who is cancelled cancels what it waits for."""
        return self.answer.done() and not self.answer.cancelled()


class _Call:
    """A call that has begun."""

    def __init__(self, run: Run, places: list[_Place]) -> None:
        self._places = places
        self._awaited = len(places)
        self._task = asyncio.get_running_loop().create_task(self._answered(run))
        for place in places:
            place.call = self

    def left(self) -> None:
        """One record fewer is waited for."""
        self._awaited -= 1
        if not self._awaited:
            self._task.cancel()

    async def _answered(self, run: Run) -> None:
        try:
            results, seconds = await run([place.record for place in self._places])
            for place, result in zip(self._places, results, strict=True):
                if not place.answer.done():
                    place.answer.set_result((result, seconds / len(results)))
        finally:
            for place in self._places:
                place.answer.cancel()  # nobody waits for what cannot come
