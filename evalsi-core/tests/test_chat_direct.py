"""Plain HTTP on kept connections: what counts as an answer, and when a connection is used again."""

from __future__ import annotations

import asyncio

import pytest
from fault_server import FaultServer, close, reply, status

from evalsi.core.chat import Sampling, ServerError, direct
from evalsi.core.chat.client import ChatClient
from evalsi.core.chat.direct import DirectTransport, is_direct
from evalsi.core.chat.retry import Budgets
from evalsi.core.chat.transport import Unreadable
from evalsi.core.chat.wires import CHAT

ONCE = Budgets(0, 0, 0, 0, 0, timeout_s=2.0, deadline_s=5.0)


def sends(data: bytes, end: str = ""):
    async def answer(writer):
        writer.write(data)
        await writer.drain()
        if end:
            raise ConnectionAbortedError(end)

    return answer


def posted(answers, times=1):
    async def main(url):
        transport = DirectTransport(f"{url}/chat/completions", {})
        try:
            return [await transport.post(b'{"model": "m"}') for _ in range(times)]
        finally:
            await transport.aclose()

    with FaultServer(answers) as server:
        return asyncio.run(main(server.url))


HEAD = b"HTTP/1.1 200 OK\r\n"
ANSWERS = {
    "a length": (HEAD + b"Content-Length: 4\r\n\r\nabcd", b"abcd"),
    "chunks": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2;x=y\r\ncd\r\n0\r\n\r\n",
        b"abcd",
    ),
    "trailers": (
        HEAD + b"transfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\nx: y\r\n\r\n",
        b"abcd",
    ),
    "interim": (
        b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"content-length: 4\r\n\r\nabcd",
        b"abcd",
    ),
    "no reason": (b"HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", b""),
    "no content": (b"HTTP/1.1 204 None\r\n\r\n", b""),
}


@pytest.mark.parametrize(("data", "body"), ANSWERS.values(), ids=ANSWERS)
def test_a_body_ends_where_its_head_says(data, body):
    answers = posted([sends(data)], times=3)
    assert [answer.body for answer in answers] == [body] * 3


def test_a_body_without_a_length_ends_with_its_connection():
    (answer,) = posted([sends(HEAD + b"\r\nabcd", "close")])
    assert answer.body == b"abcd"


UNREADABLE = {
    "no HTTP": b"220 smtp ready\r\n\r\n",
    "HTTP/2": b"HTTP/2 200\r\ncontent-length: 0\r\n\r\n",
    "a status of words": b"HTTP/1.1 fine OK\r\ncontent-length: 0\r\n\r\n",
    "a length of words": HEAD + b"content-length: four\r\n\r\n",
    "a negative length": HEAD + b"content-length: -1\r\n\r\n",
    "a vast length": HEAD + b"content-length: 99999999999999999999999999\r\n\r\n",
    "two lengths": HEAD + b"content-length: 1\r\ncontent-length: 2\r\n\r\nab",
    "a chunk without a size": HEAD + b"transfer-encoding: chunked\r\n\r\nxyz\r\n",
    "a chunk without an end": HEAD + b"transfer-encoding: chunked\r\n\r\n2\r\nabcd0\r\n\r\n",
    "a vast chunk": HEAD + b"transfer-encoding: chunked\r\n\r\nffffffff\r\n",
    "a head without an end": HEAD + b"x: " + b"y" * 200_000,
    "gzip": HEAD + b"content-encoding: gzip\r\ncontent-length: 0\r\n\r\n",
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_answer_is_unreadable(data):
    with pytest.raises(Unreadable):
        posted([sends(data)])


def asking(client):
    return client.ask([{"role": "user", "content": "hello"}])


def client_of(server, budgets=ONCE):
    return ChatClient(CHAT, server.url, "", Sampling("tiny"), budgets)


@pytest.fixture
def opened(monkeypatch):
    """How many connections were opened."""
    counted = []
    real = asyncio.open_connection

    async def counting(*given, **named):
        counted.append(given)
        return await real(*given, **named)

    monkeypatch.setattr("evalsi.core.chat.direct.asyncio.open_connection", counting)
    return counted


def test_a_connection_carries_one_request_after_another(opened):
    async def main(server):
        client = client_of(server)
        for _ in range(5):
            await asking(client)

    with FaultServer([reply("4")]) as server:
        asyncio.run(main(server))
    assert len(opened) == 1


def test_an_error_of_the_server_does_not_cost_its_connection(opened):
    async def main(server):
        return await asking(client_of(server, Budgets(first_wait_s=0.01)))

    with FaultServer([status(500), reply("4")]) as server:
        assert asyncio.run(main(server)).text == "4"
    assert len(opened) == 1


@pytest.mark.parametrize("word", ["close", "Close", "keep-alive, close"])
def test_a_connection_that_the_server_ends_is_not_used_again(opened, word):
    data = HEAD + f"connection: {word}\r\ncontent-length: 2\r\n\r\n[]".encode()
    assert len(posted([sends(data)], times=2)) == 2
    assert len(opened) == 2


def test_a_connection_closed_while_idle_is_replaced(opened):
    async def main(server):
        client = client_of(server)
        await asking(client)
        with pytest.raises(ServerError):
            await asking(client)  # the server ends it
        return await asking(client)

    with FaultServer([reply("4"), close(), reply("4")]) as server:
        assert asyncio.run(main(server)).text == "4"
    assert len(opened) == 2


def test_an_old_connection_is_not_used(opened, monkeypatch):
    monkeypatch.setattr(direct, "IDLE_S", 0.0)

    async def main(server):
        client = client_of(server)
        await asking(client)
        await asking(client)

    with FaultServer([reply("4")]) as server:
        asyncio.run(main(server))
    assert len(opened) == 2


def test_a_cancelled_request_ends_its_connection(opened):
    async def main(server):
        client = client_of(server)
        task = asyncio.create_task(asking(client))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return await asking(client)

    async def never(writer):
        await asyncio.sleep(60)

    with FaultServer([never, reply("4")]) as server:
        assert asyncio.run(main(server)).text == "4"
    assert len(opened) == 2


@pytest.mark.parametrize(
    ("url", "environ", "holds"),
    [
        ("http://127.0.0.1:8000/v1/chat/completions", {}, True),
        ("http://[::1]:8000/v1", {}, True),
        ("https://api.example.com/v1", {}, False),
        ("http://host/a b", {}, False),
        ("http://hóst/v1", {}, False),
        ("http://user:pw@host/v1", {}, False),
        ("http://host/v1\r\nx: y", {}, False),
        ("http://host/v1", {"http_proxy": "http://proxy:3128"}, False),
        ("http://host/v1", {"http_proxy": "http://proxy:3128", "no_proxy": "host"}, True),
        ("http://host/v1", {"all_proxy": "http://proxy:3128"}, False),
        ("http://host/v1", {"https_proxy": "http://proxy:3128"}, True),
    ],
)
def test_only_plain_addresses_without_a_proxy_are_direct(monkeypatch, url, environ, holds):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert is_direct(url) is holds
