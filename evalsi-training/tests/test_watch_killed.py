"""A watch that is killed again and again: in order, nothing twice, nothing half written."""

import os
import random
import select
import signal
import subprocess
import sys
import time

import pytest
from model_server import ModelServer
from training_kit import QUESTIONS, history_at, spec

STEPS = range(10, 210, 10)
KILLS = 20
AT_ONCE = 16  # requests that may be under way at a kill, and are made again
WATCH = """
import sys
from evalsi.core.cli import main
sys.argv = ["evalsi", "checkpoints", "watch", *sys.argv[1:]]
"""
# A watch for every line that it reads: none spends its time before the kill on imports.
WATCHES = """
import os
import aiohttp, evalsi.core.cli.root, evalsi.core.connectors.served, evalsi.training.watching
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        [os.dup2(nothing, number) for number in range(3)]
        main()
    print(child, flush=True)
    print(os.waitpid(child, 0), flush=True)
"""


class Slow(ModelServer):
    """Takes its time, so that a kill finds it at work."""

    def reply(self, path, body):
        time.sleep(0.05)
        return super().reply(path, body)


@pytest.fixture
def server():
    with Slow() as made:
        made.knows = {f"checkpoint-{step}": set(QUESTIONS) for step in STEPS}
        yield made


@pytest.fixture
def watch(tmp_path, server):
    """Starts one that looks once, or what starts many."""
    words = ["-f", str(spec(tmp_path / "spec.json")), "--training-run", "run"]
    words += ["--log-dir", str(tmp_path), "--serve", "named", "--base-url", server.base_url]
    words += [str(tmp_path / "out"), "--settle=0", "--once"]
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return lambda code, **pipes: subprocess.Popen(
        [sys.executable, "-c", WATCH + code, *words], env=where, bufsize=0, **pipes
    )


def killed(watches, server, moment, *, at_work):
    """Kills one: so many seconds behind its first request, or behind its start."""
    asked = len(server.asked)
    watches.stdin.write(b"\n")
    pid = int(watches.stdout.readline())
    while at_work and len(server.asked) == asked and not ended(watches, 0):
        time.sleep(0.005)
    if not ended(watches, moment):
        os.kill(pid, signal.SIGKILL)
    watches.stdout.readline()


def ended(watches, within_s):
    return bool(select.select([watches.stdout], [], [], within_s)[0])


def test_twenty_kills_cost_no_step_its_order_and_no_step_comes_twice(
    tmp_path, server, watch, checkpoint
):
    moments, history = random.Random(7), history_at(tmp_path)
    for step in STEPS:
        checkpoint(tmp_path / "out", step)
    done = {}
    with watch(WATCHES, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as watches:
        for kill in range(KILLS):
            asked = len(server.asked)
            killed(watches, server, moments.uniform(0, 0.4), at_work=kill % 4 > 0)
            again = {model for model, _ in server.asked[asked:]}
            assert not {f"checkpoint-{step}" for step in done} & again
            for step in history.steps():  # whole, and once it is there it stays as it is
                found = (history.read(step), history.values(step).ids)
                assert done.setdefault(step, found) == found
    assert 2 < len(done) < len(STEPS), "the kills came too early or too late to say anything"

    with watch("main()", stderr=subprocess.PIPE) as process:
        _, said = process.communicate(timeout=120)

    assert process.returncode == 0, said
    assert history.steps() == list(STEPS)
    assert all(history.read(step) == record for step, (record, _) in done.items())
    steps = [int(model.partition("-")[2]) for model, _ in server.asked]
    assert steps == sorted(steps)
    assert len(set(server.asked)) == len(STEPS) * len(QUESTIONS)
    assert len(server.asked) <= len(STEPS) * len(QUESTIONS) + KILLS * AT_ONCE
    assert [one.name for one in (tmp_path / "run").rglob(".*")] == [".lock"]
    assert not (tmp_path / "out" / ".evalsi-pins").exists()
