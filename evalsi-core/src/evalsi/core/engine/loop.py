"""An event loop in a thread of its own, for evaluators that wait for servers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from typing import Any, Final

__all__ = ["Gathered", "Loop"]

_WIDTH: Final = 64


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
    """Runs coroutines, at most 64 at once over all callers; their order is the callers'."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="evalsi-loop", daemon=True)
        self._places = asyncio.Semaphore(_WIDTH)
        self._thread.start()

    def gather(self, works: Sequence[Coroutine[Any, Any, None]]) -> Gathered:
        """Starts coroutines, each as soon as there is a place for it."""
        run = asyncio.run_coroutine_threadsafe
        return Gathered([run(self._placed(work), self._loop) for work in works])

    async def _placed(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            async with self._places:
                await work
        finally:
            work.close()

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
