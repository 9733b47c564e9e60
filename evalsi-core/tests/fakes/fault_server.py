"""A server on loopback that speaks raw HTTP and fails as real ones do: for targets and judges.

    with FaultServer([status(500), hang(), reset(), reply("4")]) as server:
        ... ask server.url ...
    assert len(server.asked) == 4

It gives its answers in order and repeats the last one; a function of the request decides instead
where requests come in no order.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

__all__ = [
    "Asked",
    "FaultServer",
    "close",
    "cut_body",
    "empty_choices",
    "half_json",
    "hang",
    "limited",
    "no_body",
    "raw",
    "reply",
    "reset",
    "slow",
    "status",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that came in."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def text(self) -> str:
        """The last message's content, or the prompt."""
        messages = self.body.get("messages")
        return messages[-1]["content"] if messages else self.body.get("prompt", "")


Answer: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]
Choose: TypeAlias = Callable[[Asked], Answer]


def reply(text: str | None, finish: str = "stop", *, tokens: tuple[int, int] = (3, 2)) -> Answer:
    """A choice with that text, as chat and as completion; both ways to ask read it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "text": text}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return raw({"choices": [{**choice, "finish_reason": finish}], "usage": usage})


def raw(body: Any, code: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """A whole answer with that body: text as it is, anything else as JSON."""
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
    return partial(_send, _head(code, len(data), headers or {}) + data)


def status(code: int, message: str = "a fault", **headers: str) -> Answer:
    """An error of the server, as such servers tell it; `retry_after="2"` is the header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return raw({"error": {"message": message}}, code, named)


def limited(retry_after: str = "0") -> Answer:
    """429 with Retry-After."""
    return status(429, "slow down", retry_after=retry_after)


def empty_choices() -> Answer:
    """200 without a choice."""
    return raw({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 0}})


def no_body() -> Answer:
    """200 with nothing in it."""
    return raw("")


def half_json() -> Answer:
    """200 whose body is whole as HTTP and half as JSON."""
    return raw('{"choices": [{"index": 0, "message": {"role": "assi')


def cut_body() -> Answer:
    """A body that ends before its stated length."""
    return partial(_send, _head(200, 5000, {}) + b'{"choices": [', end="close")


def close() -> Answer:
    """The connection ends without an answer."""
    return partial(_send, b"", end="close")


def reset() -> Answer:
    """The connection is reset without an answer."""
    return partial(_send, b"", end="reset")


def hang() -> Answer:
    """No answer, ever."""
    return slow(3600.0, reply(""))


def slow(seconds: float, answer: Answer) -> Answer:
    """An answer after a while."""

    async def wait(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        await answer(writer)

    return wait


def _head(code: int, length: int, headers: Mapping[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {code} Fault",
        "content-type: application/json",
        f"content-length: {length}",
    ]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _send(data: bytes, writer: asyncio.StreamWriter, end: str = "") -> None:
    writer.write(data)
    await writer.drain()
    if end == "reset":
        held: socket.socket = writer.get_extra_info("socket")
        held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if end:
        raise ConnectionAbortedError(end)


class FaultServer:
    """The server, in a thread of its own for the block.

    Args:
        answers: in order, or a function of the request.
        tls: speaks TLS with these certificates.

    Attributes:
        asked: every request so far.
        most_at_once: the most requests that waited for an answer together.
        connections: how many were opened.
        closed: set while no connection is open.
    """

    def __init__(
        self, answers: Sequence[Answer] | Choose, *, tls: ssl.SSLContext | None = None
    ) -> None:
        self._tls = tls
        self._choose = answers if callable(answers) else partial(_in_order, list(answers))
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self.connections = 0
        self._at_once = 0
        self._port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._open = 0
        self.closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> FaultServer:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.cancel)
        self._thread.join(10)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(
            self._talk, "127.0.0.1", 0, limit=1 << 24, ssl=self._tls
        )
        self._port = server.sockets[0].getsockname()[1]
        self._end = asyncio.get_running_loop().create_future()
        self._ready.set()
        try:
            await self._end
        except asyncio.CancelledError:
            server.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        self.connections += 1
        self.closed.clear()
        try:
            while (asked := await self._request(reader)) is not None:
                self.asked.append(asked)
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                try:
                    await self._choose(asked)(writer)
                finally:
                    self._at_once -= 1
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went, a fault ends the connection, or the block ended
        finally:
            self._open -= 1
            if not self._open:
                self.closed.set()
            writer.close()

    async def _request(self, reader: asyncio.StreamReader) -> Asked | None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        return Asked(len(self.asked), first.split()[1], headers, json.loads(body or b"null"))


def _in_order(answers: list[Answer], asked: Asked) -> Answer:
    return answers[min(asked.number, len(answers) - 1)]
