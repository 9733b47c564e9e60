"""Waiting for a place: how many ask at once, and a clock that stops meanwhile.

The deadline of a record is for answering. Time in a queue does not count, so whoever runs an
evaluator under a deadline shows its clock here, and the queue stops it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from typing import Final

__all__ = ["Places", "clocked", "queueing"]


class _Clock:
    """A deadline that stands still while anyone under it waits in a queue."""

    def __init__(self, timeout: asyncio.Timeout) -> None:
        self._timeout = timeout
        self._waiting = 0
        self._left_s: float | None = None

    def stop(self) -> None:
        self._waiting += 1
        when = self._timeout.when()
        if self._waiting == 1 and when is not None:
            self._left_s = when - asyncio.get_running_loop().time()
            self._set(None)

    def go_on(self) -> None:
        self._waiting -= 1
        if not self._waiting and self._left_s is not None:
            self._set(asyncio.get_running_loop().time() + self._left_s)

    def _set(self, when: float | None) -> None:
        with contextlib.suppress(RuntimeError):  # it has expired, or its block has ended
            self._timeout.reschedule(when)


_CLOCK: Final[ContextVar[_Clock | None]] = ContextVar("evalsi-judge-clock", default=None)


@contextlib.contextmanager
def clocked(timeout: asyncio.Timeout) -> Iterator[None]:
    """Has queues stop this deadline during the block while they hold its evaluator up."""
    token = _CLOCK.set(_Clock(timeout))
    try:
        yield
    finally:
        _CLOCK.reset(token)


@contextlib.contextmanager
def queueing() -> Iterator[None]:
    """Stops, for the block, the deadline that its caller is under."""
    clock = _CLOCK.get()
    if clock is None:
        yield
        return
    clock.stop()
    try:
        yield
    finally:
        clock.go_on()


class Places:
    """At most so many at once in each event loop.

    Args:
        width: how many.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._held: dict[asyncio.AbstractEventLoop, asyncio.Semaphore] = {}

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """A place for the block."""
        places = self._places()
        with queueing():
            await places.acquire()
        try:
            yield
        finally:
            places.release()

    def _places(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None:
            for ended in [other for other in list(self._held) if other.is_closed()]:
                self._held.pop(ended, None)
            held = self._held[loop] = asyncio.Semaphore(self._width)
        return held
