"""A request's body, read only when there is room for it; and what is done with it off the loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final, TypeVar

from starlette.requests import ClientDisconnect, Request

from evalsi_server.places import Places
from evalsi_server.problems import Problem, ending

__all__ = ["Bodies", "aside", "while_connected"]

T = TypeVar("T")

_UNIT: Final = 1024
_LONG: Final = 1 << 16
"""Bytes whose decoding takes about a millisecond, for which a thread is worth its hop."""


class Bodies:
    """Reads bodies: each bounded, and all that are held at once too. For one event loop.

    What waits for room stays with its sender, since nothing reads its connection.

    Args:
        max_bytes: of one body; four times that is held at once.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._room = Places(4 * _units(max_bytes))
        self._reading: set[asyncio.Timeout] = set()
        self._stopped = False

    async def read(self, request: Request, by_s: float) -> Body:
        """The body; its room is taken until the block ends that it is entered with.

        Raises:
            Problem: it has no length, or is too large, or did not come within the deadline, or
                the server ends.
        """
        size = _units(self._length(request))
        try:
            async with self._until(by_s):
                await self._room.take(size)
                try:
                    return Body(await request.body(), size, self._room)
                except BaseException:
                    self._room.give_back(size)
                    raise
        except TimeoutError:
            late = Problem("deadline", "the body did not come within the deadline")
            raise (ending() if self._stopped else late) from None
        except ClientDisconnect:
            raise Problem("gone", "the client went away before its body was whole") from None

    def stop(self) -> None:
        """Waits for no body any more."""
        self._stopped = True
        for timeout in self._reading:
            if not timeout.expired():
                timeout.reschedule(0.0)

    @contextlib.asynccontextmanager
    async def _until(self, by_s: float) -> AsyncIterator[None]:
        async with asyncio.timeout_at(0.0 if self._stopped else by_s) as timeout:
            self._reading.add(timeout)
            try:
                yield
            finally:
                self._reading.discard(timeout)

    def _length(self, request: Request) -> int:
        stated = request.headers.get("content-length", "")
        if not stated.isascii() or not stated.isdigit():
            raise Problem("no-length", "the request states no length; send a Content-Length")
        if int(stated) > self._max_bytes:
            most = self._max_bytes // (1024 * 1024)
            raise Problem(
                "too-large",
                f"a body of {stated} bytes; at most {most} MiB: send fewer rollouts, "
                f"or start the server with --max-body-mb",
            )
        return int(stated)


class Body:
    """A body, and the room that it takes."""

    def __init__(self, data: bytes, size: int, room: Places) -> None:
        self._data = data
        self._size = size
        self._room = room

    def __enter__(self) -> bytes:
        return self._data

    def __exit__(self, *_: object) -> None:
        self._room.give_back(self._size)


def _units(size: int) -> int:
    return -(-size // _UNIT)


async def aside(size: int, work: Callable[[], T]) -> T:
    """What `work` over that many bytes gives; in a thread where it takes long."""
    return work() if size < _LONG else await asyncio.to_thread(work)


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives; cancels it when the client goes away. The body was read before.

    Raises:
        Problem: the client went away.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Problem("gone", "the client went away")
    finally:
        working.cancel()
        leaving.cancel()
