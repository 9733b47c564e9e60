"""The engine among processes: forks, daemons, many ranks, and an owner killed with -9."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from engine_fakes.binding import results
from engine_fakes.watching import descendants, gone, most_at_once

from evalsi.core.engine import close_engine, current_engine

OWNER = """
import sys, time
sys.path.insert(0, {fakes!r})
from engine_fakes.binding import results
from engine_fakes.watching import descendants, gone, most_at_once
from evalsi.core.engine import current_engine
results(current_engine(), "quiet:LengthInWorker", "a", "b")
print(current_engine().launcher.pid, flush=True)
{after}
"""


@pytest.fixture(autouse=True)
def _own_engine():
    yield
    close_engine()


def values(engine, *outputs):
    return [result.value for result in results(engine, "quiet:LengthInWorker", *outputs)]


def owner_of(after):
    fakes = str(Path(__file__).parent / "fakes")
    code = OWNER.format(fakes=fakes, after=after)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def test_kill_9_of_the_owner_leaves_nothing():
    with owner_of("time.sleep(60)") as owner:
        keeper = int(owner.stdout.readline())
        below = {keeper, *descendants(keeper)}
        assert len(below) >= 3, "keeper, template and a worker at least"
        owner.kill()
        owner.wait()
        assert gone(below)


def test_kill_9_of_the_owner_leaves_nothing_though_a_forked_child_holds_its_pipes():
    fork = "import os\nif os.fork() == 0:\n    time.sleep(4)\n    os._exit(0)\ntime.sleep(60)"
    with owner_of(fork) as owner:
        keeper = int(owner.stdout.readline())
        below = {keeper, *descendants(keeper)}
        time.sleep(0.3)
        owner.kill()
        owner.wait()
        assert gone(below, 3.0)


def test_kill_9_of_the_keeper_leaves_nothing():
    with owner_of("time.sleep(60)") as owner:
        keeper = int(owner.stdout.readline())
        below = {keeper, *descendants(keeper)}
        os.kill(keeper, signal.SIGKILL)
        try:
            assert gone(below - {keeper})
        finally:
            owner.kill()


def test_an_owner_that_ends_leaves_nothing():
    with owner_of("") as owner:
        keeper = int(owner.stdout.readline())
        assert owner.wait(20) == 0
        assert gone({keeper})


def test_a_forked_child_starts_an_engine_of_its_own():
    assert values(current_engine(), "a") == [1.0]
    keeper = current_engine().launcher.pid
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            own = current_engine()
            right = values(own, "abc") == [3.0] and own.launcher.pid != keeper
            close_engine()
            os.write(write, b"right" if right else b"wrong")
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    assert os.waitpid(child, 0)[1] == 0
    with os.fdopen(read, "rb") as told:
        assert told.read() == b"right"
    assert values(current_engine(), "abcd") == [4.0], "the parent's engine still works"


def _in_process(queue):
    queue.put(values(current_engine(), "ab", "abc"))
    close_engine()


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("daemon", [False, True], ids=["plain", "daemonic"])
def test_it_works_in_a_child_of_multiprocessing(method, daemon, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    from test_engine_processes import _in_process as target

    context = multiprocessing.get_context(method)
    queue = context.SimpleQueue()
    process = context.Process(target=target, args=(queue,), daemon=daemon)
    process.start()
    assert queue.get() == [2.0, 3.0]
    process.join(20)
    assert process.exitcode == 0


def test_eight_processes_share_the_cores_of_a_host(tmp_path):
    """At no moment do more workers compute than there are cores."""
    code = """
import sys, time, json
sys.path.insert(0, {fakes!r})
from engine_fakes.binding import results
from engine_fakes.watching import descendants, gone, most_at_once
from evalsi.core.engine import current_engine
found = results(current_engine(), "quiet:SleepsAndTells", *[f"{{0.05}} {{n}}" for n in range(4)])
print(json.dumps([r.evidence for r in found]))
"""
    fakes = str(Path(__file__).parent / "fakes")
    cores = sorted(os.sched_getaffinity(0))[:2]
    command = ["taskset", "-c", ",".join(map(str, cores)), sys.executable]
    command += ["-c", code.format(fakes=fakes)]
    ranks = [
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        )
        for _ in range(8)
    ]
    spans = [tuple(span) for rank in ranks for span in json.loads(rank.communicate(timeout=60)[0])]
    assert len(spans) == 32
    assert most_at_once(spans) <= len(cores)
