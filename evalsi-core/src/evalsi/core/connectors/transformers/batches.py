"""Requests of one moment, answered together in a thread of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, Generic, TypeVar

__all__ = ["Batches"]

T = TypeVar("T")
R = TypeVar("R")

_WAIT_S: Final = 0.005
"""How long the first request of a batch waits for others: a fraction of one token's time."""


class Batches(Generic[T, R]):
    """Gathers requests; for one event loop.

    Args:
        answer: gives for each request its answer or its error, in order; called in the thread.
        most: requests of one batch.
    """

    def __init__(self, answer: Callable[[Sequence[T]], Sequence[R | Exception]], most: int) -> None:
        self._answer = answer
        self._most = most
        self._asked: asyncio.Queue[tuple[T, asyncio.Future[R]]] = asyncio.Queue()
        self._held: list[tuple[T, asyncio.Future[R]]] = []
        self._thread = ThreadPoolExecutor(1, "evalsi-batches")
        self._runs: asyncio.Task[None] | None = None

    async def ask(self, request: T) -> R:
        """The answer to a request; raises its error."""
        place: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._asked.put_nowait((request, place))
        if self._runs is None:
            self._runs = asyncio.create_task(self._run())
        return await place

    async def aclose(self, last: Callable[[], None]) -> None:
        """Cancels what waits, and does a last thing in the thread once it is idle."""
        if self._runs is not None:
            self._runs.cancel()
            await asyncio.wait([self._runs])
        while not self._asked.empty():
            self._held.append(self._asked.get_nowait())
        for _, place in self._held:
            place.cancel()
        await asyncio.get_running_loop().run_in_executor(self._thread, last)
        self._thread.shutdown()

    async def _run(self) -> None:
        while True:
            self._held = [await self._asked.get()]
            with suppress(TimeoutError):
                async with asyncio.timeout(_WAIT_S):
                    while len(self._held) < self._most:
                        self._held.append(await self._asked.get())
            self._held = [(asked, place) for asked, place in self._held if not place.done()]
            if self._held:
                await self._answered()

    async def _answered(self) -> None:
        requests = [request for request, _ in self._held]
        loop = asyncio.get_running_loop()
        answers: Sequence[R | Exception]
        try:
            answers = await loop.run_in_executor(self._thread, self._answer, requests)
        except Exception as error:  # noqa: BLE001 - whoever waits is told, or would wait for ever
            answers = [error] * len(requests)
        for (_, place), answer in zip(self._held, answers, strict=True):
            if place.done():
                continue  # its caller has gone
            if isinstance(answer, Exception):
                place.set_exception(answer)
            else:
                place.set_result(answer)
