"""An evaluator that asks workers: in its caller's thread, stopped with its batch, everywhere."""

import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from engine_fakes.binding import bound, results
from engine_fakes.watching import descendants, gone, most_at_once

from evalsi.core import Errored, Score
from evalsi.core.engine import Stop, close_engine, current_engine, start_engine
from evalsi.core.engine.lanes import Lane, lane_of
from evalsi.core.errors import EngineError


@pytest.fixture(autouse=True)
def engine():
    yield start_engine(width=2)
    close_engine()


def test_it_runs_in_the_callers_thread_with_its_batch_together(engine):
    found = results(engine, "asking:Asks", "0", "0.01", "0.02")
    here = threading.current_thread().name
    assert [r.evidence["thread"] for r in found] == [here] * 3
    assert [r.evidence["together"] for r in found] == [3, 3, 3]


def test_a_fault_is_an_error_of_its_record_and_a_timeout_what_the_evaluator_makes_of_it(engine):
    found = results(engine, "asking:AsksHostile", "calm", "segfault", "hang_in_c")
    assert [type(r) for r in found] == [Score, Errored, Score]
    assert [found[0].value, found[2].value] == [1.0, 0.0]


def test_the_deadline_of_the_spec_is_that_of_each_payload(engine):
    found = results(engine, "asking:Asks", "0", "30", "0", "31", deadline_s=0.4)
    assert [r.value for r in found] == [1.0, 0.0, 1.0, 0.0]
    assert found[1].evidence["seconds"] == 0.4


def test_a_spec_does_not_lengthen_the_evaluators_own_deadline(engine):
    (found,) = results(engine, "asking:AsksHostile", "hang_in_c", deadline_s=60.0)
    assert found.evidence["seconds"] == 0.5


def test_without_a_bound_it_asks_from_its_own_worker(engine):
    assert lane_of(bound("asking:AsksUnbounded")) is Lane.WORKER
    found = results(engine, "asking:AsksUnbounded", "0", "0.01")
    assert [r.value for r in found] == [1.0, 1.0]


def test_a_stopped_batch_kills_its_workers(engine):
    stop = Stop()
    threading.Timer(0.5, stop.now).start()
    begun = time.monotonic()
    (found,) = results(engine, "asking:Asks", "4", stop=stop)
    assert time.monotonic() - begun < 3.0
    assert found.failure.kind == EngineError.kind
    assert results(engine, "asking:Asks", "0")[0].value == 1.0


def test_a_loop_goes_on_meanwhile(engine):
    async def both():
        asked = asyncio.create_task(asyncio.to_thread(results, engine, "asking:Asks", "0.5"))
        ticks = 0
        while not asked.done():
            await asyncio.sleep(0.02)
            ticks += 1
        return ticks, await asked

    ticks, (found,) = asyncio.run(both())
    assert ticks > 10
    assert found.value == 1.0


def _in_process(queue):
    queue.put([r.value for r in results(current_engine(), "asking:Asks", "0", "0.01")])
    close_engine()


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("daemon", [False, True], ids=["plain", "daemonic"])
def test_it_works_in_a_child_of_multiprocessing(engine, method, daemon, monkeypatch):
    assert results(engine, "asking:Asks", "0")[0].value == 1.0, "the parent has workers of its own"
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    from test_workers_lanes import _in_process as target

    context = multiprocessing.get_context(method)
    queue = context.SimpleQueue()
    process = context.Process(target=target, args=(queue,), daemon=daemon)
    process.start()
    assert queue.get() == [1.0, 1.0]
    process.join(20)
    assert process.exitcode == 0


OWNER = """
import sys
sys.path.insert(0, {fakes!r})
from engine_fakes.binding import results
from evalsi.core.engine import current_engine
results(current_engine(), "asking:Asks", "0", "0")
print(current_engine().launcher.pid, flush=True)
results(current_engine(), "asking:Asks", "60")
"""


@pytest.mark.parametrize("word", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_an_owner_that_is_ended_leaves_no_worker(word):
    code = OWNER.format(fakes=str(Path(__file__).parent / "fakes"))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as owner:
        keeper = int(owner.stdout.readline())
        time.sleep(0.3)
        below = {keeper, *descendants(keeper)}
        assert len(below) >= 3, "keeper, template and a worker at least"
        owner.send_signal(word)
        assert owner.wait(3.0) == -word, "the 5 s of its payload are not waited for"
        assert gone(below)


def test_four_processes_share_the_cores_of_a_host(tmp_path):
    """At no moment do more workers compute than there are cores."""
    code = """
import sys, json
sys.path.insert(0, {fakes!r})
from evalsi.core import Need
from evalsi.core.engine import tools_for
workers = tools_for({{Need.WORKERS}}, None).workers
answers = workers.map("engine_fakes.functions:where", [0.05] * 6, deadline_s=30.0)
print(json.dumps([answer.value[1:] for answer in answers]))
"""
    fakes = str(Path(__file__).parent / "fakes")
    cores = sorted(os.sched_getaffinity(0))[:2]
    command = ["taskset", "-c", ",".join(map(str, cores)), sys.executable]
    command += ["-c", code.format(fakes=fakes)]
    env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    ranks = [subprocess.Popen(command, stdout=subprocess.PIPE, env=env) for _ in range(4)]
    spans = [span for rank in ranks for span in json.loads(rank.communicate(timeout=60)[0])]
    assert len(spans) == 24
    assert most_at_once(spans) <= len(cores)
