"""The small rooms of the engine: digest, cache, crew, frames."""

import contextlib
import socket
import threading
import time
from array import array
from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core import Errored, Failure, Score, Skipped
from evalsi.core.engine.cache import ContentCache
from evalsi.core.engine.crew import Crew, Job
from evalsi.core.engine.digest import digest
from evalsi.core.engine.frames import FrameLost, decode, encode, receive, send

json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (1, True), (0.0, -0.0), ("1", 1), (None, ""), ([1, [2]], [[1], 2]), ("a", b"a")],
)
def test_the_digest_tells_types_and_shapes_apart(one, other):
    assert digest(one) != digest(other)


def test_a_lone_surrogate_has_a_digest():
    assert digest("\ud800") != digest("\udfff")


@given(json)
def test_equal_content_has_an_equal_digest_however_it_was_made(value):
    import copy

    assert digest(value) == digest(copy.deepcopy(value))


@pytest.mark.parametrize(
    "foreign",
    [object(), array("q", [1]), memoryview(b"a"), {1}, OrderedDict(a=1), [array("d", [1.0])]],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_exactly_plain_data_has_no_digest(foreign):
    assert digest(foreign) is None


def test_a_thread_that_was_woken_is_not_counted_as_idle():
    for _ in range(50):
        crew, gate = Crew(2, "test"), threading.Event()
        crew.submit(Job([lambda: None])).wait()
        crew.submit(Job([gate.wait]))
        quick = crew.submit(Job([lambda: None]))
        assert quick._done.wait(2.0), "it waits behind a busy thread while width is free"
        gate.set()
        crew.close()


@pytest.mark.parametrize(
    "forged",
    [
        b'[["score", "x", {}, "", null, true]]',
        b'[["score", NaN, {}, "", null, true]]',
        b'[["score", 1.0, [1], "", null, true]]',
        b'[["score", 1.0, {"m": "x"}, "", null, true]]',
        b'[["score"]]',
        b'[["skipped", 7]]',
        b'[["errored", "kind", "m", "w", "yes"]]',
        b'[["nothing", 1]]',
    ],
)
def test_results_of_wrong_types_are_a_lost_frame(forged):
    with pytest.raises(FrameLost):
        decode(forged)


def test_the_cache_drops_the_least_recently_used_by_count():
    cache = ContentCache(max_items=2)
    for key in (b"a", b"b"):
        cache.put(key, (Score(1.0),))
    cache.get(b"a")
    cache.put(b"c", (Score(1.0),))
    assert [key for key in (b"a", b"b", b"c") if cache.get(key)] == [b"a", b"c"]


def test_the_cache_drops_by_bytes():
    cache = ContentCache(max_bytes=5000)
    for number in range(10):
        cache.put(b"%d" % number, (Score(1.0, evidence="x" * 1000),))
    assert 1 <= len(cache) <= 4


@pytest.mark.parametrize(
    "result",
    [Errored(Failure("sandbox", "away")), Score(0.0, stable=False)],
    ids=["errored", "unstable"],
)
def test_the_cache_never_keeps_what_may_differ_next_time(result):
    cache = ContentCache()
    cache.put(b"k", (result,))
    assert cache.get(b"k") is None


def test_the_cache_keeps_a_skip():
    cache = ContentCache()
    cache.put(b"k", (Skipped("no reference"),))
    assert cache.get(b"k") == (Skipped("no reference"),)


def test_the_crew_takes_one_task_a_caller_in_turn():
    crew, order, gate = Crew(1, "test"), [], threading.Event()
    crew.submit(Job([gate.wait]))
    jobs = [
        crew.submit(Job([lambda n=name, i=i: order.append((n, i)) for i in range(3)]))
        for name in "ab"
    ]
    gate.set()
    for job in jobs:
        job.wait()
    crew.close()
    assert order == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]


def test_the_jobs_of_one_caller_run_in_the_order_that_they_came():
    crew, order, gate, caller = Crew(1, "test"), [], threading.Event(), object()
    crew.submit(Job([gate.wait]))
    jobs = [crew.submit(Job([lambda n=name: order.append(n)] * 2, caller)) for name in ("a", "b")]
    gate.set()
    for job in jobs:
        job.wait()
    crew.close()
    assert order == ["a", "a", "b", "b"]


def test_a_cancelled_job_drops_what_has_not_begun():
    crew, ran, gate = Crew(1, "test"), [], threading.Event()
    crew.submit(Job([gate.wait]))
    job = crew.submit(Job([lambda: ran.append(1)]))
    job.cancel()
    gate.set()
    job.wait()
    crew.close()
    assert ran == []


def test_what_a_task_raises_reaches_the_one_who_waits():
    crew = Crew(1, "test")
    job = crew.submit(Job([lambda: 1 / 0]))
    with pytest.raises(ZeroDivisionError):
        job.wait()
    crew.close()


def test_results_travel_as_plain_data():
    results = [
        Score(0.5, {"m": 1.0}, "why\ud800", {"k": [1, "x"]}, stable=False),
        Skipped("none"),
        Errored(Failure("data", "what", "where", retryable=True)),
    ]
    assert decode(encode(results)) == results


@given(st.binary(max_size=200))
def test_garbage_is_a_lost_frame_and_nothing_else(garbage):
    with contextlib.suppress(FrameLost):
        decode(garbage)


def test_a_frame_that_does_not_come_is_none_at_the_deadline():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(b"\0\0")
        begun = time.monotonic()
        assert receive(ours, begun + 0.2) is None
        assert time.monotonic() - begun < 5.0


def test_an_oversized_frame_is_refused_before_it_is_read():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(b"\0\0\0\0\xff\xff\xff\xff")
        with pytest.raises(FrameLost, match="4294967295 bytes"):
            receive(ours, time.monotonic() + 1)


def test_a_frame_comes_whole():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        threading.Thread(target=send, args=(theirs, b"x" * 1_000_000)).start()
        assert receive(ours) == b"x" * 1_000_000
