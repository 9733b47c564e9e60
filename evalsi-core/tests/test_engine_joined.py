"""Records of several callers go in one call, each caller gets his own results, and may leave."""

import contextlib
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest
from engine_fakes.binding import bound, records

from evalsi.core import Errored
from evalsi.core.engine import Stop
from evalsi.core.evaluator import Batch


@pytest.fixture
def meets():
    return bound("meeting:Meets")


def given(engine, meets, outputs, **options):
    return [row[0].result for row in engine.evaluate([meets], records(*outputs), **options)]


def together(engine, meets, *callers, **options):
    with ThreadPoolExecutor(len(callers)) as pool:
        return list(pool.map(lambda outputs: given(engine, meets, outputs, **options), callers))


def values(results):
    return [result.value for result in results]


def test_a_full_call_goes_at_once(engine):
    meets = bound("meeting:Meets", batch=Batch(max_records=4, wait_ms=60_000))
    begun = time.monotonic()
    assert values(given(engine, meets, ["1", "2", "3", "4"])) == [1, 2, 3, 4]
    assert time.monotonic() - begun < 30
    assert meets.instance.calls == [["1", "2", "3", "4"]]


def test_what_does_not_fill_a_call_waits_and_goes(engine):
    meets = bound("meeting:Meets", batch=Batch(max_records=4, wait_ms=200))
    begun = time.monotonic()
    assert values(given(engine, meets, ["1"])) == [1]
    assert time.monotonic() - begun >= 0.2


def test_callers_share_calls_and_get_their_own_results(engine):
    meets = bound("meeting:Meets", batch=Batch(max_records=4, wait_ms=60_000))
    callers = [["1", "2", "3"], ["4", "5", "6"], ["7", "8"]]
    found = together(engine, meets, *callers)
    assert [values(one) for one in found] == [[1, 2, 3], [4, 5, 6], [7, 8]]
    assert [len(call) for call in meets.instance.calls] == [4, 4]


def test_evaluators_do_not_mix(engine, meets):
    other = bound("meeting:Meets")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: given(engine, one, ["1"]), [meets, other]))
    assert (meets.instance.calls, other.instance.calls) == ([["1"]], [["1"]])


def test_without_a_wait_nobody_shares(engine):
    alone = bound("meeting:Meets", batch=Batch(max_records=4))
    together(engine, alone, ["1"], ["2"])
    assert sorted(alone.instance.calls) == [["1"], ["2"]]


def test_a_call_that_raises_errs_for_all_that_share_it(engine, meets):
    found = together(engine, meets, ["raises"], ["2"])
    assert all(isinstance(result, Errored) for [result] in found)
    assert len(meets.instance.calls) == 1


def test_the_deadline_of_a_shared_call_begins_with_it(engine, meets):
    [[result]] = together(engine, meets, ["slow"], deadline_s=0.3)
    assert result.failure.kind == "deadline"
    assert meets.instance.cancelled == 1


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def has_joined(engine):
    return engine._loop is not None and bool(engine._loop._joints._held)


@contextlib.contextmanager
def leaving(engine, meets, outputs, **options):
    """A caller in a thread of his own, who leaves behind the block."""
    stop = Stop()
    with ThreadPoolExecutor(1) as pool:
        caller = pool.submit(given, engine, meets, outputs, stop=stop, **options)
        until(lambda: has_joined(engine))
        yield
        stop.now()
        with pytest.raises(CancelledError):
            caller.result(5)


def test_who_leaves_takes_back_what_has_not_gone(engine, meets):
    with leaving(engine, meets, ["1", "2"]):
        pass
    assert values(given(engine, meets, ["3"])) == [3]
    assert meets.instance.calls == [["3"]]


def test_who_leaves_does_not_end_a_call_that_others_wait_for(engine):
    meets = bound("meeting:Meets", batch=Batch(max_records=2, wait_ms=60_000))
    with ThreadPoolExecutor(1) as pool:
        with leaving(engine, meets, ["slow1"], deadline_s=1.5):
            staying = pool.submit(given, engine, meets, ["slow2"], deadline_s=1.5)
            until(lambda: meets.instance.calls)
        assert (meets.instance.calls, meets.instance.cancelled) == ([["slow1", "slow2"]], 0)
        assert staying.result(5)[0].failure.kind == "deadline"


def test_a_call_that_nobody_waits_for_is_ended(engine, meets):
    with leaving(engine, meets, ["slow1", "2", "3", "4"]):
        until(lambda: meets.instance.calls)
    assert values(given(engine, meets, ["5"])) == [5]
    assert meets.instance.cancelled == 1


def test_nothing_is_held_when_all_have_gone(engine, meets):
    together(engine, meets, ["1"], ["2"])
    assert engine._loop._joints._held == {}
