"""How the server ends: drained, at once, or killed; nothing stays behind."""

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from server_kit import Running, descendants, gone


@pytest.fixture
def spec(written):
    return written("sleeps", "sleeps")


def test_sigterm_finishes_what_is_in_flight_and_takes_nothing_more(spec):
    with Running(spec) as server, ThreadPoolExecutor(1) as threads:
        asked = threads.submit(server.ask, "2")
        below = in_flight(server)
        server.terminate()
        assert server.logged("finishing what is in flight")
        assert refused_within(server.port, 5.0)
        assert asked.result().status == 200
        assert server.ended() == 0
        assert gone(below)


def test_ctrl_c_is_an_end_as_well(spec):
    with Running(spec) as server:
        server.process.send_signal(signal.SIGINT)
        assert server.ended() == 0


def test_what_takes_longer_than_the_drain_is_told_so(spec):
    with Running(spec, "--drain", "0.5") as server, ThreadPoolExecutor(1) as threads:
        asked = threads.submit(server.ask, "50")
        below = in_flight(server)
        server.terminate()
        assert (asked.result().status, asked.result().error["kind"]) == (503, "draining")
        assert server.ended() == 0
        assert gone(below)


def test_a_body_that_does_not_come_does_not_hold_the_end(spec):
    head = b"POST /get_reward HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
    with Running(spec, "--drain", "0.5") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as asked:
            asked.sendall(head + b'{"query":')
            assert server.get("/healthz").status == 200
            server.terminate()
            assert b" 503 " in asked.recv(1000)
        assert server.ended() == 0
    assert "Traceback" not in server.log


def test_what_goes_on_for_a_client_that_gave_up_does_not_hold_the_end(spec):
    with Running(spec, "--deadline", "1") as server:
        assert server.ask("50").status == 504
        below = in_flight(server)
        server.terminate()
        assert server.ended(15) == 0
        assert gone(below)


def test_a_second_signal_ends_at_once_and_leaves_nothing(spec):
    with Running(spec, "--drain", "60") as server, ThreadPoolExecutor(1) as threads:
        asked = threads.submit(server.ask, "50")
        below = in_flight(server)
        server.terminate()
        assert server.logged("finishing what is in flight")
        server.terminate()
        assert server.ended(10) == 128 + signal.SIGTERM
        assert gone(below)
        assert isinstance(asked.exception(), OSError)


def test_kill_9_leaves_nothing(spec):
    with Running(spec) as server, ThreadPoolExecutor(1) as threads:
        asked = threads.submit(server.ask, "50")
        below = in_flight(server)
        server.process.kill()
        assert gone(below)
        assert isinstance(asked.exception(), OSError)


def test_a_server_that_starts_again_takes_the_same_port_at_once(spec):
    with Running(spec) as first:
        first.ask("0")
        first.process.kill()
        first.ended()
        with Running(spec, port=first.port) as second:
            assert second.ask("0").status == 200


def test_an_engine_whose_keeper_died_works_again(spec):
    with Running(spec) as server:
        assert server.ask("0").status == 200
        [keeper] = children(server.process.pid)
        os.kill(keeper, signal.SIGKILL)
        assert server.get("/readyz").status == 200
        assert server.ask("0.0").status == 200


def in_flight(server):
    """Every process below the server, once a keeper, a template and a worker are there."""
    assert server.holds(1)
    end = time.monotonic() + 20
    while len(below := descendants(server.process.pid)) < 3:
        assert time.monotonic() < end
        time.sleep(0.02)
    return below


def children(pid):
    told = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    return [int(child) for child in told.split()]


def refused_within(port, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return True
        time.sleep(0.05)
    return False
