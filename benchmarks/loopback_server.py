"""A model that answers every chat request after so many milliseconds, and counts what it holds.

    python benchmarks/loopback_server.py 5

The port is printed. `GET /held` tells the requests served, the most that were held at once, the
seconds from the first request to the last answer, and the mean number held in between.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time

CHOICE = {"index": 0, "message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}
REPLY = json.dumps(
    {"choices": [CHOICE], "usage": {"prompt_tokens": 8, "completion_tokens": 1}}
).encode()
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Held:
    """How many requests are held, over time."""

    def __init__(self) -> None:
        self.served = self.now = self.most = 0
        self.first = self.last = self.area = 0.0

    def change(self, by: int) -> None:
        """One request more, or one less."""
        moment = time.perf_counter()
        self.first = self.first or moment
        self.area += self.now * (moment - (self.last or moment))
        self.last = moment
        self.now += by
        self.most = max(self.most, self.now)
        self.served += by < 0

    def told(self) -> bytes:
        """The counts as JSON."""
        seconds = self.last - self.first
        mean = self.area / seconds if seconds else 0.0
        told = {"served": self.served, "most": self.most, "seconds": seconds, "mean": mean}
        return json.dumps(told).encode()


class Connection(asyncio.Protocol):
    """One kept-alive connection, one request at a time."""

    def __init__(self, held: Held, delay_s: float) -> None:
        self._held, self._delay_s = held, delay_s
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps where answers go."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Takes in a request; answers it when it is whole and the time has passed."""
        self._buffer += data
        head, end, body = self._buffer.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if not end or len(body) < int(length[1] if length else 0):
            return
        self._buffer = b""
        if head.startswith(b"GET"):
            self._answer(self._held.told())
            return
        self._held.change(1)
        asyncio.get_running_loop().call_later(self._delay_s, self._serve)

    def _serve(self) -> None:
        self._answer(REPLY)
        self._held.change(-1)

    def _answer(self, body: bytes) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        self._transport.write(head % len(body) + body)


async def serve(delay_s: float) -> None:
    held, loop = Held(), asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(held, delay_s), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]) / 1e3))
