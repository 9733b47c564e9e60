"""Every evaluator runs in the lane that it needs, and answers in the order of the records."""

import asyncio
import os
import threading

import pytest
from engine_fakes.binding import bound, records, results
from engine_fakes.quiet import Length

from evalsi.core import Errored, Need, Score
from evalsi.core.engine import Engine, Stop
from evalsi.core.engine.lanes import Lane, lane_of
from evalsi.core.errors import EngineError


@pytest.mark.parametrize(
    ("target", "lane"),
    [
        ("quiet:Length", Lane.CALLER),
        ("quiet:Where", Lane.CALLER),
        ("quiet:Async", Lane.LOOP),
        ("quiet:LengthInWorker", Lane.WORKER),
        ("quiet:AsyncInWorker", Lane.WORKER),
    ],
)
def test_the_lane_follows_from_bound_and_needs(target, lane):
    assert lane_of(bound(target)) is lane


def test_who_leases_jails_holds_an_engine_thread():
    needs = frozenset({Need.SANDBOX, Need.WORKERS})
    assert lane_of(bound("quiet:Where", needs=needs)) is Lane.CREW


def test_who_waits_for_a_server_without_being_async_can_be_killed():
    assert lane_of(bound("quiet:Where", needs=frozenset({Need.HTTP}))) is Lane.WORKER


@pytest.mark.parametrize("target", ["quiet:Length", "quiet:LengthInWorker", "quiet:Batched"])
def test_results_come_in_the_order_of_the_records(engine, target):
    outputs = ["x" * size for size in (5, 1, 4, 2, 3, 0, 7)]
    assert [r.value for r in results(engine, target, *outputs)] == [5, 1, 4, 2, 3, 0, 7]


def test_an_empty_batch_is_an_empty_list(engine):
    assert results(engine, "quiet:LengthInWorker") == []


def test_a_batch_entry_gets_at_most_its_maximum(engine):
    found = results(engine, "quiet:Batched", "a", "bb", "ccc", "dddd")
    assert [r.evidence["together"] for r in found] == [3, 3, 3, 1]


def test_a_group_entry_sees_each_group_whole(engine):
    found = results(engine, "quiet:Grouped", "a", "b", "c", groups=[[0, 2], [1]])
    assert [r.value for r in found] == [2, 1, 2]


def test_an_async_evaluator_is_cancelled_at_its_deadline(engine):
    quick, slow = results(engine, "quiet:Async", "quick", "slow", deadline_s=0.3)
    assert isinstance(quick, Score)
    assert slow.failure.kind == "deadline"


def test_an_evaluators_own_patience_stands_where_no_deadline_is_named(engine):
    impatient = bound("quiet:Async", patience_s=0.3)
    [(slow,)] = engine.evaluate([impatient], records("slow"))
    assert slow.result.failure.message == "no answer within 0.3 s"


def test_an_async_evaluator_without_a_bound_runs_in_a_worker(engine):
    assert results(engine, "quiet:AsyncInWorker", "a")[0].value == 0.5


def test_reading_a_field_outside_reads_is_an_error_that_names_it(engine):
    (result,) = results(engine, "quiet:Peeks", "a")
    assert isinstance(result, Errored)
    assert "'reference' is not in this evaluator's `reads`" in result.failure.message


def test_equal_content_is_evaluated_once_in_a_batch(engine):
    Length.calls = 0
    rows = engine.evaluate([bound("quiet:Length")], records(*["same"] * 64))
    assert Length.calls == 1
    assert [row[0].cached for row in rows] == [False] + [True] * 63


def test_equal_content_is_evaluated_once_over_batches(engine):
    engine.evaluate([bound("quiet:Length")], records("same"))
    ((component,),) = engine.evaluate([bound("quiet:Length")], records("same"))
    assert component.cached


def test_without_a_cache_every_record_is_evaluated(engine):
    Length.calls = 0
    engine.evaluate([bound("quiet:Length")], records("same", "same"), cached=False)
    assert Length.calls == 2


def test_an_unstable_score_is_shared_in_its_batch_and_then_forgotten(engine):
    first = engine.evaluate([bound("quiet:LengthInWorker")], records("same", "same"))
    again = engine.evaluate([bound("quiet:LengthInWorker")], records("same"))
    assert [row[0].cached for row in first + again] == [False, True, False]


def test_another_version_does_not_answer_from_the_cache(engine):
    from dataclasses import replace

    old = bound("quiet:Length")
    engine.evaluate([old], records("same"))
    new = replace(old, by=replace(old.by, version="2.0"))
    ((component,),) = engine.evaluate([new], records("same"))
    assert not component.cached


def test_many_threads_share_one_engine(engine):
    found = {}

    def score(number):
        found[number] = results(engine, "quiet:LengthInWorker", "x" * number, "y" * number)

    threads = [threading.Thread(target=score, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert {n: [r.value for r in two] for n, two in found.items()} == {n: [n, n] for n in range(16)}


def test_the_sync_form_works_inside_a_running_loop(engine):
    async def inside():
        return results(engine, "quiet:Async", "quick") + results(engine, "quiet:Length", "ab")

    assert [r.value for r in asyncio.run(inside())] == [1.0, 2.0]


def test_stopped_calls_are_dropped_and_told(engine):
    stop = Stop()
    stop.now()
    with pytest.raises(EngineError, match="dropped"):
        engine.evaluate([bound("quiet:LengthInWorker")], records("a"), stop=stop)


def test_a_worker_is_another_process(engine):
    (result,) = results(engine, "quiet:LengthInWorker", "a")
    assert result.evidence["pid"] != os.getpid()


def test_a_record_of_any_size_reaches_a_worker(engine):
    sizes = [1, 20_000_000, 2, 9_000_000]
    found = results(engine, "quiet:LengthInWorker", *["x" * size for size in sizes])
    assert [r.value for r in found] == sizes


def test_a_closed_engine_says_so_and_does_not_hang():
    closed = Engine(width=1)
    results(closed, "quiet:LengthInWorker", "a")
    closed.close()
    with pytest.raises(EngineError, match="closed"):
        results(closed, "quiet:LengthInWorker", "b")


def test_a_helper_process_of_an_import_lives_as_long_as_its_evaluator():
    engine = Engine(width=1)
    try:
        found = results(engine, "quiet:AsksAHelper", "a", "kill me", "b", "c")
    finally:
        engine.close()
    assert [getattr(result, "value", None) for result in found] == [1.0, None, 1.0, 1.0]


def test_evidence_from_the_cache_is_its_receivers_own(engine):
    first = results(engine, "quiet:Where", "same")[0]
    first.evidence["thread"] = "poison"
    assert results(engine, "quiet:Where", "same")[0].evidence["thread"] != "poison"
