"""HTTP on kept connections: what counts as an answer, and when a connection is used again."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from fault_server import FaultServer, close, raw, reply, status

from evalsi.core.http import Server, ServerError, transport
from evalsi.core.http.failed import TransportFailed
from evalsi.core.http.transport import Transport


def sends(*parts: bytes, end: str = ""):
    async def answer(writer):
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.02)
        if end:
            raise ConnectionAbortedError(end)

    return answer


def posted(answers, times=1, body=b'{"model": "m"}'):
    async def main(url):
        made = Transport(f"{url}/chat/completions", {})
        try:
            return [await made.ask("POST", body) for _ in range(times)]
        finally:
            await made.aclose()

    with FaultServer(answers) as server:
        answered = asyncio.run(main(server.url))
    return answered, server


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
    answers, server = posted([sends(data)], times=3)
    assert [answer.body for answer in answers] == [body] * 3
    assert server.connections == 1


def test_a_body_may_come_in_pieces():
    pieces = [HEAD + b"content-le", b"ngth: 4\r\n\r\na", b"b", b"cd"]
    (answer,), _ = posted([sends(*pieces)])
    assert answer.body == b"abcd"


def test_a_body_without_a_length_ends_with_its_connection():
    (answer,), _ = posted([sends(HEAD + b"\r\nabcd", end="close")])
    assert answer.body == b"abcd"


UNREADABLE = {
    "no HTTP": b"220 smtp ready\r\n\r\n",
    "HTTP/2": b"HTTP/2 200\r\ncontent-length: 0\r\n\r\n",
    "a status of words": b"HTTP/1.1 fine OK\r\ncontent-length: 0\r\n\r\n",
    "a length of words": HEAD + b"content-length: four\r\n\r\n",
    "a negative length": HEAD + b"content-length: -1\r\n\r\n",
    "a length of gigabytes": HEAD + b"content-length: 99999999999\r\n\r\n",
    "a length beyond numbers": HEAD + b"content-length: 99999999999999999999999999\r\n\r\n",
    "two lengths": HEAD + b"content-length: 1\r\ncontent-length: 2\r\n\r\nab",
    "a chunk without a size": HEAD + b"transfer-encoding: chunked\r\n\r\nxyz\r\n",
    "a chunk without an end": HEAD + b"transfer-encoding: chunked\r\n\r\n2\r\nabcd0\r\n\r\n",
    "a head without an end": HEAD + b"x: " + b"y" * 200_000,
    "a head of many lines": HEAD + b"x: y\r\n" * 20_000,
    "gzip": HEAD + b"content-encoding: gzip\r\ncontent-length: 0\r\n\r\n",
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_answer_is_malformed(data):
    with pytest.raises(TransportFailed) as raised:
        posted([sends(data)])
    assert raised.value.cause == "malformed"
    assert "\n" not in str(raised.value)


def test_chunks_beyond_all_measure_are_not_read(monkeypatch):
    monkeypatch.setattr(transport, "MAX_BYTES", 1 << 16)
    chunk = b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
    with pytest.raises(TransportFailed, match="sent more than"):
        posted([sends(HEAD + b"transfer-encoding: chunked\r\n\r\n", *[chunk] * 4)])


def test_an_answer_is_asked_for_as_it_is():
    _, server = posted([reply("4")])
    assert server.asked[0].headers["accept-encoding"] == "identity"


def test_a_body_of_megabytes_travels_whole():
    text = "x" * 5_000_000
    _, server = posted([reply("4")], body=f'{{"prompt": "{text}"}}'.encode())
    assert server.asked[0].text == text
    assert "content-length" in server.asked[0].headers


def test_a_redirect_is_not_followed():
    (answer,), server = posted([raw("", 307, {"location": "/elsewhere"}), reply("4")])
    assert answer.status == 307
    assert len(server.asked) == 1


def test_a_cookie_is_not_kept():
    _, server = posted([raw({}, headers={"set-cookie": "who=you"}), reply("4")], times=2)
    assert "cookie" not in server.asked[1].headers


def test_no_key_is_looked_up(monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    _, server = posted([reply("4")])
    assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999/v1", "http://a..b/v1", "http://[::1/v1"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ServerError) as raised:
        asyncio.run(Server(url, {}).post(b"{}", 5.0))
    assert (raised.value.cause, raised.value.retryable) == ("refused", False)


def test_a_connection_carries_one_request_after_another():
    _, server = posted([reply("4")], times=5)
    assert server.connections == 1


def test_an_error_of_the_server_does_not_cost_its_connection():
    answers, server = posted([status(500), reply("4")], times=2)
    assert [answer.status for answer in answers] == [500, 200]
    assert server.connections == 1


@pytest.mark.parametrize("word", ["close", "Close", "keep-alive, close"])
def test_a_connection_that_the_server_ends_is_not_used_again(word):
    data = HEAD + f"connection: {word}\r\ncontent-length: 2\r\n\r\n[]".encode()
    _, server = posted([sends(data)], times=2)
    assert server.connections == 2


def asked(times, server, pause_s=0.0):
    """So many requests one after another; those that failed are None."""

    async def main():
        asking, found = Server(server.url, {}), []
        for _ in range(times):
            try:
                found.append(await asking.post(b"{}", 5.0))
            except ServerError:
                found.append(None)
            await asyncio.sleep(pause_s)
        return found

    return asyncio.run(main())


def test_a_connection_that_the_server_closed_is_replaced():
    with FaultServer([reply("4"), close(), reply("4")]) as server:
        first, second, third = asked(3, server)
    assert (first, second) == (third, None)
    assert server.connections == 2


def test_an_old_connection_is_not_used(monkeypatch):
    monkeypatch.setattr(transport, "IDLE_S", 0.05)
    with FaultServer([reply("4")]) as server:
        asked(2, server, pause_s=0.2)
    assert server.connections == 2


def test_a_cancelled_request_ends_its_connection():
    async def never(writer):
        await asyncio.sleep(60)

    async def main(server):
        asking = Server(server.url, {})
        task = asyncio.create_task(asking.post(b"{}", 60.0))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return await asking.post(b"{}", 5.0)

    with FaultServer([never, reply("4")]) as server:
        assert b"4" in asyncio.run(main(server))
    assert server.connections == 2


def test_a_server_is_asked_how_it_is():
    async def main(server):
        return await Server(server.url, {}).get(5.0)

    with FaultServer([raw("ready")]) as server:
        assert asyncio.run(main(server)) == b"ready"
    assert server.asked[0].body is None


FORKS = """
import asyncio, os, sys, threading
from evalsi.core.http import Server

server = Server(sys.argv[1], {})
loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()

def asked():
    return asyncio.run_coroutine_threadsafe(server.post(b"{}", 5.0), loop).result()

asked()
if os.fork() == 0:
    asyncio.run(server.post(b"{}", 5.0))
    sys.exit()
print(os.waitstatus_to_exitcode(os.wait()[1]))
asked()
"""


def test_a_forked_child_has_connections_of_its_own():
    with FaultServer([reply("4")]) as server:
        command = [sys.executable, "-W", "error", "-c", FORKS, server.url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
    assert (len(server.asked), server.connections) == (3, 2)
