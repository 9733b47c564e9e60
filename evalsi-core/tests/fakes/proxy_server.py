"""A proxy on loopback: it answers plain requests itself, and opens tunnels to where they ask.

with Proxy(reply("by proxy")) as proxy:
    ... ask through proxy.url ...
assert proxy.heads[0].startswith("CONNECT ")
"""

from __future__ import annotations

import asyncio
import threading

from fault_server import Answer

__all__ = ["Proxy"]


class Proxy:
    """The proxy, in a thread of its own for the block.

    Args:
        plain: its answer to what is no tunnel.
        refusal: the status line with which it refuses tunnels, or "".

    Attributes:
        heads: the head of every request, in order.
    """

    def __init__(self, plain: Answer, *, refusal: str = "") -> None:
        self._plain, self._refusal = plain, refusal
        self.heads: list[str] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Proxy:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set_result, None)
        self._thread.join(10)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._end = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end
        server.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.heads.append(head)
            if not head.startswith("CONNECT "):
                await self._plain(writer)
            elif self._refusal:
                writer.write(f"HTTP/1.1 {self._refusal}\r\ncontent-length: 0\r\n\r\n".encode())
            else:
                await self._tunnel(head.split()[1], reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # an end went, or the block ended
        finally:
            writer.close()

    async def _tunnel(
        self, to: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        host, _, port = to.rpartition(":")
        there_reader, there_writer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Established\r\n\r\n")
        await asyncio.gather(_relay(reader, there_writer), _relay(there_reader, writer))


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(1 << 16):
            writer.write(part)
            await writer.drain()
    finally:
        writer.close()
