"""Plain HTTP/1.1 on connections that are kept: for the servers that stand next to us.

A request costs a tenth of what the general client takes, which at the speed of a local server
is the difference between waiting for it and being waited for. TLS and proxies are not for here.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from evalsi.core.chat.transport import IDLE_S, MAX_BYTES, Answer, Broken, Unreachable, Unreadable

__all__ = ["DirectTransport", "is_direct"]

_PLAIN: Final = re.compile(r"http://[\w.:\[\]-]+(/[\w./~%@:+,;=-]*)?", re.ASCII)
_MAX_HEAD: Final = 64 * 1024
_STATUS: Final = re.compile(rb"HTTP/1\.([01]) ([1-5]\d\d)(?: [^\r\n]*)?")
_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[^\r\n]*)?\r\n")


def is_direct(url: str) -> bool:
    """Whether a URL is plain HTTP, and no proxy stands before it."""
    if not _PLAIN.fullmatch(url):
        return False
    proxied = not getproxies().keys().isdisjoint({"http", "all"})
    return not proxied or bool(proxy_bypass(urlsplit(url).hostname or ""))


class _Connection(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class DirectTransport:
    """Posts to one URL; a connection carries one request at a time.

    Args:
        url: that `is_direct`.
        headers: of every request, ASCII.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        self._host = parts.hostname or ""
        self._port = parts.port or 80
        named = {"host": parts.netloc, "accept": "*/*", "accept-encoding": "identity", **headers}
        lines = [f"POST {parts.path or '/'} HTTP/1.1", *(f"{k}: {v}" for k, v in named.items())]
        self._head = "\r\n".join(lines).encode("ascii")
        self._idle: deque[tuple[_Connection, float]] = deque()

    async def post(self, body: bytes) -> Answer:
        """The server's answer; raises `TransportFailed`."""
        connection = self._kept() or await self._opened()
        keeps = False
        try:
            # One write is one system call, and wakes the server once.
            head = b"%s\r\ncontent-length: %d\r\n\r\n" % (self._head, len(body))
            connection.writer.write(head + body)
            await connection.writer.drain()
            answer, keeps = await _answer(connection.reader)
        except asyncio.IncompleteReadError as error:
            when = "before its answer ended" if error.partial else "without an answer"
            raise Broken(f"broke the connection {when}") from error
        except OSError as error:
            raise Broken(f"broke the connection: {error}") from error
        finally:
            if keeps:
                self._idle.append((connection, time.monotonic()))
            else:
                connection.writer.transport.abort()
        return answer

    async def aclose(self) -> None:
        """Closes what is idle."""
        while self._idle:
            connection, _ = self._idle.pop()
            # Held by a name: a writer without one complains, before this, of not being closed.
            connection.writer.transport.abort()
        await asyncio.sleep(0)  # the loop closes their sockets at its next turn

    def _kept(self) -> _Connection | None:
        """The connection used last, unless the server has closed it or soon will."""
        fresh = time.monotonic() - IDLE_S
        while self._idle:
            connection, since = self._idle.pop()
            reader, writer = connection
            if since > fresh and not (reader.at_eof() or reader.exception()):
                return connection
            writer.transport.abort()
        return None

    async def _opened(self) -> _Connection:
        try:
            opened = await asyncio.open_connection(self._host, self._port, limit=_MAX_HEAD)
        except OSError as error:
            raise Unreachable(f"takes no connection: {error}") from error
        return _Connection(*opened)


async def _answer(reader: asyncio.StreamReader) -> tuple[Answer, bool]:
    """The answer, and whether its connection can carry another request."""
    try:
        minor, status, headers = await _head(reader)
        while status < 200:
            minor, status, headers = await _head(reader)
        body, ended = await _body(reader, status, headers)
    except asyncio.LimitOverrunError as error:
        raise Unreadable("sent an answer whose head has no end") from error
    says = headers.get("connection", "" if minor else "close").lower()
    return Answer(status, headers, body), ended and "close" not in says


async def _head(reader: asyncio.StreamReader) -> tuple[int, int, dict[str, str]]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n"))[:-4].split(b"\r\n")
    found = _STATUS.fullmatch(first)
    if found is None:
        raise Unreadable("sent an answer that is no HTTP")
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.decode("latin-1").partition(":")
        key, said = name.lower(), value.strip()
        if key in ("content-length", "transfer-encoding") and headers.get(key, said) != said:
            raise Unreadable(f"sent an answer with two kinds of {key}")
        headers[key] = said
    return int(found[1]), int(found[2]), headers


async def _body(
    reader: asyncio.StreamReader, status: int, headers: Mapping[str, str]
) -> tuple[bytes, bool]:
    """The body, and whether its end was told by anything but the connection's."""
    if headers.get("content-encoding", "identity") != "identity":
        raise Unreadable(
            f"sent a body in {headers['content-encoding'][:20]}, which was not asked for"
        )
    if status in (204, 304):
        return b"", True
    if "transfer-encoding" in headers:
        return await _chunks(reader), True
    told = headers.get("content-length")
    if told is not None:
        if not (told.isascii() and told.isdigit()):
            raise Unreadable("sent an answer whose length is no number")
        return await reader.readexactly(_within(int(told[:20]))), True
    parts, size = [], 0
    while part := await reader.read(1 << 16):
        parts.append(part)
        size = _within(size + len(part))
    return b"".join(parts), False


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts, total = [], 0
    while True:
        found = _SIZE.fullmatch(await reader.readuntil(b"\r\n"))
        if found is None:
            raise Unreadable("sent a chunk without a size")
        size = int(found[1], 16)
        if not size:
            break
        total = _within(total + size)
        part = await reader.readexactly(size + 2)
        if not part.endswith(b"\r\n"):
            raise Unreadable("sent a chunk without an end")
        parts.append(part[:-2])
    while await reader.readuntil(b"\r\n") != b"\r\n":
        pass  # trailers, which say nothing that is asked for
    return b"".join(parts)


def _within(size: int) -> int:
    if size > MAX_BYTES:
        raise Unreadable(f"sent more than {MAX_BYTES >> 20} MiB")
    return size
