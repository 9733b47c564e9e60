"""The tries of one request share its answer: a client whose connection broke starts nothing twice.

An answer is kept a while after it was sent, since a connection may break on the way back, and
neither errors nor unstable scores are in the engine's cache.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, NamedTuple

from starlette.responses import Response

from evalsi_server.problems import Problem

__all__ = ["Tries"]

_KEPT_S: Final = 120.0
_KEPT_BYTES: Final = 64 * 1024 * 1024
_ROW_BYTES: Final = 1024
"""About what an answer takes beside its body."""


class Tries:
    """Answers by the id of their request, in flight and for two minutes. For one event loop.

    A request with an id ends on its own terms, though whoever sent it first goes away.
    """

    def __init__(self) -> None:
        self._in_flight: dict[str, _Work] = {}
        self._kept: OrderedDict[str, _Answer] = OrderedDict()
        self._bytes = 0

    async def answer(
        self, request_id: str, digest: bytes, start: Callable[[], Coroutine[Any, Any, Response]]
    ) -> Response:
        """The answer to a request; starts its work where no earlier try did.

        Raises:
            Problem: the id is that of a request with other content.
        """
        self._drop_old()
        held = self._in_flight.get(request_id) or self._kept.get(request_id)
        if held is not None and held.digest != digest:
            raise Problem("conflict", f"the id {request_id!r} was that of another request")
        if isinstance(held, _Answer):
            return held.response
        if held is None:
            held = _Work(digest, asyncio.get_running_loop().create_task(start()))
            self._in_flight[request_id] = held
            held.task.add_done_callback(partial(self._ended, request_id, digest))
        return await asyncio.shield(held.task)

    def _ended(self, request_id: str, digest: bytes, task: asyncio.Task[Response]) -> None:
        del self._in_flight[request_id]
        # Reading the exception also marks it as seen: whoever asked may be gone.
        if not task.cancelled() and task.exception() is None:
            kept = _Answer(digest, task.result(), time.monotonic() + _KEPT_S)
            self._kept[request_id] = kept
            self._bytes += _size(kept)

    def _drop_old(self) -> None:
        now = time.monotonic()
        while self._kept:
            oldest = next(iter(self._kept.values()))
            if oldest.until > now and self._bytes <= _KEPT_BYTES:
                return
            self._kept.popitem(last=False)
            self._bytes -= _size(oldest)


class _Work(NamedTuple):
    digest: bytes
    task: asyncio.Task[Response]


class _Answer(NamedTuple):
    digest: bytes
    response: Response
    until: float


def _size(answer: _Answer) -> int:
    return _ROW_BYTES + len(answer.response.body)
