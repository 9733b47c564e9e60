"""The tool for `Need.WORKERS`: each payload has an answer in time, whatever the others do."""

import threading
import time

import pytest
from engine_fakes.watching import most_at_once

from evalsi.core import Need
from evalsi.core.engine import close_engine, start_engine, tools_for
from evalsi.core.workers import Faulted, OutOfMemory, Reply, TimedOut

FUNCTIONS = "engine_fakes.functions"


@pytest.fixture
def workers():
    start_engine(width=2)
    yield tools_for({Need.WORKERS}, None).workers
    close_engine()


def told(workers, name, payloads, **options):
    return workers.map(f"{FUNCTIONS}:{name}", payloads, **{"deadline_s": 10.0, **options})


def test_who_does_not_need_workers_has_none():
    assert tools_for(set(), None).workers is None


def test_answers_come_in_the_order_of_the_payloads(workers):
    assert told(workers, "double", [3, "a", [1], 0]) == [Reply(v) for v in (6, "aa", [1, 1], 0)]


def test_no_payloads_have_no_answers(workers):
    assert told(workers, "double", []) == []


def test_lone_surrogates_travel(workers):
    assert told(workers, "double", ["\ud800!"]) == [Reply("\ud800!\ud800!")]


@pytest.mark.parametrize(
    ("deed", "answer"),
    [
        ("hang_in_python", TimedOut),
        ("hang_in_c", TimedOut),
        ("hang_without_the_gil", TimedOut),
        ("fork_and_hang", TimedOut),
        ("close_everything", Faulted),
        ("write_garbage_everywhere", Faulted),
        ("raise_unpicklable", Faulted),
        ("raise_mute", Faulted),
        ("exit_quietly", Faulted),
        ("segfault", Faulted),
        ("kill_itself", Faulted),
        ("bomb_memory", OutOfMemory),
        ("print_much", Reply),
    ],
)
def test_a_hostile_deed_costs_its_own_payload_only(workers, deed, answer):
    deeds = ["calm", deed, "calm", "calm", deed, "calm"]
    deadline_s = 1.0 if answer is TimedOut else 20.0
    answers = told(workers, "deed", deeds, deadline_s=deadline_s, memory_mb=512)
    kinds = [Reply, answer, Reply, Reply, answer, Reply]
    assert [type(found) for found in answers] == kinds


def test_the_deadline_is_kept_from_outside(workers):
    begun = time.monotonic()
    answers = told(workers, "deed", ["hang_in_c"] * 2, deadline_s=0.5)
    assert answers == [TimedOut(0.5)] * 2
    assert time.monotonic() - begun < 30


def test_a_machine_that_is_busy_with_others_takes_no_time_from_a_payload(workers):
    seconds = {"alone": 0.5, "with_others": 3}
    (answer,) = told(workers, "computes_among_others", [seconds], deadline_s=1.0)
    assert isinstance(answer, Reply)
    assert answer.value > 1.2


def test_a_payload_that_others_hold_up_for_too_long_is_late_all_the_same(workers):
    begun = time.monotonic()
    seconds = {"alone": 60.0, "with_others": 40}
    (answer,) = told(workers, "computes_among_others", [seconds], deadline_s=0.2)
    assert answer == TimedOut(0.2)
    assert 1.0 < time.monotonic() - begun < 30


def test_an_answer_in_time_counts_though_another_worker_is_slow_to_end(workers):
    answers = told(workers, "deed", ["close_everything", *["calm"] * 30], deadline_s=0.5)
    assert [type(answer) for answer in answers[1:]] == [Reply] * 30


def test_waiting_for_a_worker_does_not_count(workers):
    answers = told(workers, "where", [0.3] * 6, deadline_s=0.6)
    assert [type(answer) for answer in answers] == [Reply] * 6


def test_warming_up_does_not_count_and_happens_once_before_the_fork(workers):
    warm_up = f"{FUNCTIONS}:slow_warm_up"
    answers = told(workers, "warmed_by", [1, 2, 3], deadline_s=0.5, warm_up=warm_up)
    pids = [answer.value for answer in answers]
    assert len({warmed for warmed, _ in pids}) == 1
    assert all(warmed != own for warmed, own in pids)


def test_a_worker_is_kept_for_later_calls(workers):
    (first,) = told(workers, "where", [0])
    (second,) = told(workers, "where", [0])
    assert first.value[0] == second.value[0]


def test_a_process_that_ends_once_is_no_fault(workers, tmp_path):
    assert told(workers, "die_at_first", [str(tmp_path / "died")]) == [Reply("done")]


def test_a_process_that_ends_twice_is_a_fault_that_says_so(workers):
    (answer,) = told(workers, "deed", ["kill_itself"])
    assert answer.failure.kind == "evaluator"
    assert "ended by signal 9, and so did" in answer.failure.message


def test_memory_that_others_used_up_is_not_held_against_a_payload(workers):
    answers = told(workers, "keep", [120] * 8, memory_mb=400)
    assert [type(answer) for answer in answers] == [Reply] * 8


def test_too_much_memory_for_a_fresh_worker_says_how_much_there_was(workers):
    assert told(workers, "keep", [600], memory_mb=400) == [OutOfMemory(400)]


def test_what_a_function_raises_is_told_with_its_place(workers):
    (answer,) = told(workers, "double", [None])
    assert "TypeError" in answer.failure.message
    assert "functions.py" in answer.failure.where


def test_an_answer_that_is_not_plain_data_is_a_fault(workers):
    (answer,) = told(workers, "not_plain", [3])
    assert "not JSON serializable" in answer.failure.message


@pytest.mark.parametrize("options", [{}, {"warm_up": f"{FUNCTIONS}:nowhere"}])
def test_what_does_not_load_faults_every_payload(workers, options):
    name = "double" if options else "nowhere"
    answers = told(workers, name, [1, 2, 3], **options)
    assert ["nowhere" in answer.failure.message for answer in answers] == [True] * 3


def test_a_payload_that_is_not_plain_data_is_refused(workers):
    with pytest.raises(TypeError, match="not JSON serializable"):
        told(workers, "double", [1, {2}])


def test_many_threads_share_the_width(workers):
    spans = []

    def ask():
        spans.extend(answer.value[1:] for answer in told(workers, "where", [0.05] * 4))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(spans) == 16
    assert most_at_once(spans) == 2


def test_who_holds_the_only_core_computes_on_it():
    engine = start_engine(width=1)
    workers = tools_for({Need.WORKERS}, None).workers
    try:
        with engine.cores.hold():
            assert told(workers, "double", [1, 2]) == [Reply(2), Reply(4)]
    finally:
        close_engine()
