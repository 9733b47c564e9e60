"""An event loop in a thread of its own, for evaluators that wait for servers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Final, TypeAlias

from evalsi.core.engine.calls import call_async
from evalsi.core.engine.joined import Joints
from evalsi.core.engine.lanes import late
from evalsi.core.judge.turns import clocked
from evalsi.core.records import Record
from evalsi.core.results import Result
from evalsi.core.spec.bound import Bound

__all__ = ["Gathered", "Loop"]

_WIDTH: Final = 64

Give: TypeAlias = Callable[[int, Sequence[Result], float], None]
"""Takes a call's number, its results and its seconds."""


class Gathered:
    """What a caller waits for, as a `Pending`."""

    def __init__(self, futures: Sequence[Future[None]]) -> None:
        self._futures = futures

    def wait(self) -> None:
        """Waits for every coroutine's end."""
        for future in self._futures:
            future.result()

    def cancel(self) -> None:
        """Cancels what has not ended."""
        for future in self._futures:
            future.cancel()


class Loop:
    """Runs calls of async evaluators, at most 64 at once over all callers, in their order."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="evalsi-loop", daemon=True)
        self._places = asyncio.Semaphore(_WIDTH)
        self._joints = Joints()
        self._thread.start()

    def start(
        self, bound: Bound, calls: Sequence[Sequence[Record]], give: Give, deadline_s: float
    ) -> Gathered:
        """Starts calls, each as soon as there is a place for it."""
        run = asyncio.run_coroutine_threadsafe
        works = [
            self._given(bound, number, records, give, deadline_s)
            for number, records in enumerate(calls)
        ]
        return Gathered([run(work, self._loop) for work in works])

    async def _given(
        self, bound: Bound, number: int, records: Sequence[Record], give: Give, deadline_s: float
    ) -> None:
        run = partial(self._answered, bound, deadline_s)
        if bound.batch.wait_ms and bound.entry == "ascore_batch":
            key = (id(bound.instance), deadline_s)
            results, seconds = await self._joints.results(key, bound.batch, run, records)
        else:
            results, seconds = await run(records)
        give(number, results, seconds)

    async def _answered(
        self, bound: Bound, deadline_s: float, records: Sequence[Record]
    ) -> tuple[list[Result], float]:
        """The results of one call, whose deadline begins when it has a place; and its seconds."""
        async with self._places:
            begun = time.perf_counter()
            try:
                async with asyncio.timeout(deadline_s) as timeout:
                    with clocked(timeout):
                        results = await call_async(
                            bound.instance, bound.entry, bound.metrics, records
                        )
            except TimeoutError:
                results = [late(bound, deadline_s)] * len(records)
            return results, time.perf_counter() - begun

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def close(self) -> None:
        """Cancels what runs and ends the thread."""
        self._loop.call_soon_threadsafe(self._cancel_all)
        self._thread.join(timeout=10)
        if not self._thread.is_alive():
            self._loop.close()

    def _cancel_all(self) -> None:
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        gathered = asyncio.gather(*tasks, return_exceptions=True)
        gathered.add_done_callback(lambda _: self._loop.stop())
