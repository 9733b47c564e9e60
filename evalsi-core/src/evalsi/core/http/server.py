"""A server that is posted to: connections for each event loop, and failures told as they are.

Connections are closed when their loop ends its tasks; so a connector can be used from the
engine's loop, from `asyncio.run`, and in a forked child.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import weakref
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from evalsi.core.errors import ServerError
from evalsi.core.http.failed import TransportFailed
from evalsi.core.http.transport import Answer, Transport

__all__ = ["Server"]

_CLOSING: Final[set[asyncio.Task[None]]] = set()
_SHOWN: Final = 300
_CAUSES: Final = {408: "timeout", 425: "limited", 429: "limited"}
_OF_SETTINGS: Final = frozenset({401, 402, 403, 404, 405, 407})
"""Refusals that a key, an address or the server's operator mends, and no other request does."""


class Server:
    """Posts JSON bodies to one URL.

    Args:
        url: where to.
        headers: of every request.
        secret: a text that no message may hold, or "".
    """

    def __init__(self, url: str, headers: Mapping[str, str], *, secret: str = "") -> None:
        self._url = url
        self._headers = {"content-type": "application/json", **headers}
        self._secret = secret
        self._held: dict[asyncio.AbstractEventLoop, _Held] = {}
        weakref.finalize(self, _let_go, self._held).atexit = False

    async def post(self, body: bytes, timeout_s: float) -> bytes:
        """The body of the server's answer.

        Raises:
            ServerError: there was none within `timeout_s`, or its status is no success.
        """
        return await self._asked("POST", body, timeout_s)

    async def get(self, timeout_s: float) -> bytes:
        """As `post`, without a body; for a server's own word on how it is."""
        return await self._asked("GET", None, timeout_s)

    async def answer(self, body: bytes, timeout_s: float) -> Answer:
        """As `post`, whatever the status: for servers that tell their errors in a body of ours."""
        return await self._answered("POST", body, timeout_s)

    async def _asked(self, method: str, body: bytes | None, timeout_s: float) -> bytes:
        answer = await self._answered(method, body, timeout_s)
        if 200 <= answer.status < 300:
            return answer.body
        raise self.refused(answer)

    async def _answered(self, method: str, body: bytes | None, timeout_s: float) -> Answer:
        try:
            transport = self._transport()  # the first one imports a library: not on the try's time
            async with asyncio.timeout(timeout_s):
                return await transport.ask(method, body)
        except TimeoutError as error:
            raise self.error(f"gave no answer within {timeout_s:g} s", "timeout") from error
        except TransportFailed as failed:
            raise self.error(str(failed), failed.cause) from failed

    async def aclose(self) -> None:
        """Closes the connections of the running loop."""
        held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held.aclose()

    def refused(self, answer: Answer) -> ServerError:
        """A failure of this server that an answer tells: its status, and what it says."""
        says = _said(answer.body)
        what = f"answered {answer.status}{f': {says}' if says else ''}"
        return self.of_status(answer.status, what, answer.headers.get("retry-after"))

    def of_status(self, status: int, what: str, retry_after: str | None = None) -> ServerError:
        """A failure of this server that an HTTP status tells."""
        cause = _CAUSES.get(status) or ("server" if status >= 500 else "refused")
        error = self.error(what, cause)
        error.retryable = error.retryable or status < 400 or status in _OF_SETTINGS
        error.retry_after_s = _retry_after_s(retry_after)
        error.status = status
        return error

    def error(self, what: str, cause: str) -> ServerError:
        """A failure of this server: its address, then what it did, without the secret."""
        told = what.replace(self._secret, "***") if self._secret else what
        told = told if len(told) <= _SHOWN else f"{told[:_SHOWN]}…"
        return ServerError(f"{self._url} {told}", cause=cause, retryable=cause != "refused")

    def _transport(self) -> Transport:
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None:
            for ended in [other for other in list(self._held) if other.is_closed()]:
                self._held.pop(ended, None)
            held = self._held[loop] = _Held(Transport(self._url, self._headers))
        return held.transport


class _Held:
    """A transport with a task that closes it: when told, or when its loop cancels what runs."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self._closing = asyncio.get_running_loop().create_task(_closed_at_the_end(transport))
        _CLOSING.add(self._closing)  # a loop's own hold on its tasks is weak
        self._closing.add_done_callback(_CLOSING.discard)

    def let_go(self) -> None:
        """Has it closed; in its loop's thread."""
        self._closing.cancel()

    async def aclose(self) -> None:
        """Closes it."""
        self._closing.cancel()
        await asyncio.wait([self._closing])
        await self.transport.aclose()  # for a task that was cancelled before it began


async def _closed_at_the_end(transport: Transport) -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:  # and not when a forked child drops what is its parent's
        await transport.aclose()
        raise


def _let_go(held: dict[asyncio.AbstractEventLoop, _Held]) -> None:
    for loop, one in held.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(one.let_go)


def _said(answer: bytes) -> str:
    """What a server says about its refusal, in one line."""
    text = answer[: 64 * 1024].decode(errors="replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = text
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and found.get(key):
            found = found[key]
    return " ".join((found if isinstance(found, str) else json.dumps(found)).split())


def _retry_after_s(value: str | None) -> float | None:
    """Seconds that `Retry-After` asks for: a number, or the time until a date."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
        except (ValueError, OverflowError):
            return None
        zoned = at.replace(tzinfo=UTC) if at.tzinfo is None else at
        seconds = (zoned - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
