"""Whatever an evaluator does, its record gets a result in time and the others theirs."""

import os
import time
from contextlib import closing
from pathlib import Path

import pytest
from engine_fakes.binding import results

from evalsi.core import Errored, Score
from evalsi.core.engine import Engine
from evalsi.core.sandbox import Launch

DEADLINE_S = 1.0


def kind_of(result):
    return result.failure.kind if isinstance(result, Errored) else "scored"


@pytest.mark.parametrize(
    ("deed", "kind"),
    [
        ("hang_in_python", "deadline"),
        ("hang_in_c", "deadline"),
        ("hang_without_the_gil", "deadline"),
        ("fork_and_hang", "deadline"),
        ("close_everything", "evaluator"),
        ("write_garbage_everywhere", "evaluator"),
        ("raise_unpicklable", "evaluator"),
        ("raise_mute", "evaluator"),
        ("exit_quietly", "evaluator"),
        ("segfault", "evaluator"),
        ("kill_itself", "evaluator"),
        ("threads_that_stay", "scored"),
        ("print_much", "scored"),
    ],
)
def test_a_hostile_deed_costs_its_own_record_only(engine, deed, kind):
    before, during, after = results(
        engine, "hostile:Hostile", "calm", deed, "after", deadline_s=DEADLINE_S
    )
    assert (kind_of(before), kind_of(during), kind_of(after)) == ("scored", kind, "scored")


def test_a_memory_bomb_is_an_error_and_the_owner_lives():
    engine = Engine(width=2, worker_memory_mb=512)
    try:
        bomb, after = results(engine, "hostile:Hostile", "bomb_memory", "after", deadline_s=20.0)
    finally:
        engine.close()
    assert "MemoryError" in bomb.failure.message
    assert kind_of(after) == "scored"


def test_the_deadline_is_kept_from_outside(engine):
    begun = time.monotonic()
    results(engine, "hostile:Hostile", "hang_in_c", deadline_s=DEADLINE_S)
    assert time.monotonic() - begun < DEADLINE_S + 2.0


def test_the_clock_starts_again_at_every_record(engine):
    answers = results(engine, "quiet:Sleeps", "0.4", "0.5", "0.45", "0.35", deadline_s=0.9)
    assert [kind_of(answer) for answer in answers] == ["scored"] * 4


def test_a_batch_that_kills_its_worker_is_tried_one_by_one(engine):
    answers = results(
        engine, "hostile:HostileBatch", "one", "segfault", "three", deadline_s=DEADLINE_S
    )
    assert [kind_of(answer) for answer in answers] == ["scored", "evaluator", "scored"]


def test_a_process_that_left_its_group_does_not_outlive_its_worker(tmp_path, monkeypatch):
    marker = tmp_path / "pid"
    monkeypatch.setenv("EVALSI_TEST_MARKER", str(marker))
    engine = Engine(width=1)
    try:
        results(engine, "hostile:Hostile", "daemon_that_leaves_its_group", "kill_itself")
        daemon = int(marker.read_text())
        wait_until(lambda: not Path(f"/proc/{daemon}").exists())
    finally:
        engine.close()


@pytest.mark.parametrize("answer", ["none", "nan", "inf", "text", "huge", "metric"])
def test_what_is_no_answer_is_an_error_and_never_a_number(engine, answer):
    (result,) = results(engine, "hostile:Lies", answer)
    assert kind_of(result) == "evaluator"


def test_an_evaluator_that_does_not_load_errs_with_its_own_words(engine):
    (result,) = results(engine, "hostile:BadAtImport", "x")
    assert "no model file" in result.failure.message


def test_an_evaluator_that_ends_its_process_at_load_errs(engine):
    (result,) = results(engine, "hostile:EndsAtLoad", "x")
    assert "ended its process while it loaded" in result.failure.message


def test_a_zombie_that_its_child_traces_does_not_stop_the_keeper(engine):
    results(engine, "hostile:Hostile", "traced_by_a_grandchild", "after", deadline_s=5.0)
    with closing(engine.launcher.launch(Launch(["/bin/true"]))) as launched:
        assert launched.wait(5.0) is not None
    assert kind_of(results(engine, "hostile:Hostile", "later")[0]) == "scored"


def test_a_worker_killed_while_idle_is_replaced(engine):
    (first,) = results(engine, "quiet:LengthInWorker", "a")
    os.kill(first.evidence["pid"], 9)
    (second,) = results(engine, "quiet:LengthInWorker", "b")
    assert isinstance(second, Score)


def test_a_killed_keeper_is_an_infrastructure_error_and_then_replaced(engine):
    results(engine, "quiet:LengthInWorker", "a")
    os.kill(engine.launcher.pid, 9)
    wait_until(lambda: not engine._keeper.alive)
    (after,) = results(engine, "quiet:LengthInWorker", "b")
    assert isinstance(after, Score)


def test_a_record_that_does_not_pickle_is_an_error_of_the_data(engine):
    (result,) = results(engine, "quiet:LengthInWorker", lambda: None)
    assert kind_of(result) == "data"


def wait_until(true, seconds=5.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not become true"
        time.sleep(0.01)
