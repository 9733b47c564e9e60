"""Bounds: of a request, of all requests together, and of time."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from server_kit import Running

HEAD = b"POST /get_reward HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"


@pytest.fixture(scope="module")
def small(writing):
    options = ("--max-body-mb", "1", "--max-rollouts", "3", "--drain", "0")
    with Running(writing("says", "says"), *options) as server:
        yield server


def tight(spec, *, deadline, places=3):
    options = ("--deadline", str(deadline), "--max-in-flight", str(places), "--drain", "0")
    return Running(spec, *options)


def test_a_body_that_is_too_large_is_refused_before_it_is_read(small):
    answer = small.raw(HEAD + b"Content-Length: 2000000\r\n\r\n")
    assert b" 413 " in answer
    assert b"at most 1 MiB" in answer


def test_a_body_without_a_length_is_refused(small):
    body = b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    assert b" 411 " in small.raw(HEAD + body)


@pytest.mark.parametrize("route", ["ask", "score"])
def test_too_many_rollouts_are_refused(small, route):
    answer = getattr(small, route)("1", "2", "3", "4")
    assert (answer.status, answer.error["kind"]) == (413, "too-large")
    assert "4 rollouts; a request may have 3" in answer.error["message"]


def test_what_finds_no_place_waits_for_one(written):
    with tight(written("sleeps", "sleeps"), deadline=30) as server:
        begun = time.monotonic()
        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(lambda _: server.ask("0.7 a", "0.7 b"), range(2)))
        assert [one.status for one in answers] == [200, 200]
        assert time.monotonic() - begun > 1.3


def test_what_finds_no_place_in_time_is_told_to_come_again(written):
    with tight(written("sleeps", "sleeps"), deadline=2) as server:
        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(server.ask, "20", "20.0", "20.00")
            assert server.holds(3)
            begun = time.monotonic()
            second = server.ask("0")
            assert 1.5 < time.monotonic() - begun < 15
        assert (second.status, second.error["kind"]) == (503, "busy")
        assert second.headers["retry-after"] == "1"
        assert (first.result().status, first.result().error["kind"]) == (504, "deadline")


def test_what_is_scored_after_a_deadline_is_there_for_a_later_try(written):
    with tight(written("sleeps", "sleeps"), deadline=1.5) as server:
        tries = [server.ask("2 keep").status for _ in range(2)]
        while tries[-1] != 200 and len(tries) < 20:
            time.sleep(0.5)
            tries.append(server.ask("2 keep").status)
    assert tries[0] == 504, "two seconds do not fit into one and a half"
    assert tries[-1] == 200, "and never will, but for the cache"


def test_a_body_that_does_not_come_ends_with_the_deadline(written):
    with tight(written("says", "says"), deadline=1) as server:
        assert b" 504 " in server.raw(HEAD + b'Content-Length: 100\r\n\r\n{"query":')


def test_a_client_that_goes_away_gives_its_turn_back(written):
    spec = written("sleeps", "sleeps")
    with tight(spec, deadline=60, places=1) as server, ThreadPoolExecutor(1) as threads:
        first = threads.submit(server.ask, "2")
        assert server.holds(1)
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            body = b'{"query": ["60"]}'
            connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            time.sleep(0.3)  # it waits by now; were it late, it would find its client gone
        assert server.ask("0").status == 200
        assert first.result().status == 200
