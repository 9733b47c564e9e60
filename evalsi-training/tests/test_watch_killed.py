"""A watch that is killed again and again: in order, nothing twice, nothing half written."""

import os
import random
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
main()
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
    """Starts one that looks once."""
    words = ["-f", str(spec(tmp_path / "spec.json")), "--training-run", "run"]
    words += ["--log-dir", str(tmp_path), "--serve", "named", "--base-url", server.base_url]
    command = [sys.executable, "-c", WATCH, str(tmp_path / "out"), *words, "--settle=0", "--once"]
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return lambda **options: subprocess.Popen(command, env=where, **options)


def killed(watch, server, moment, *, at_work):
    """Kills one: so many seconds behind its first request, or behind its start."""
    asked = len(server.asked)
    with watch(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while at_work and len(server.asked) == asked and process.poll() is None:
            time.sleep(0.005)
        time.sleep(moment)
        process.kill()


def test_twenty_kills_cost_no_step_its_order_and_no_step_comes_twice(
    tmp_path, server, watch, checkpoint
):
    moments, history = random.Random(7), history_at(tmp_path)
    for step in STEPS:
        checkpoint(tmp_path / "out", step)
    done = {}
    for kill in range(KILLS):
        asked = len(server.asked)
        killed(watch, server, moments.uniform(0, 0.4), at_work=kill % 4 > 0)
        assert not {f"checkpoint-{step}" for step in done} & {m for m, _ in server.asked[asked:]}
        for step in history.steps():  # whole, and once it is there it stays as it is
            found = (history.read(step), history.values(step).ids)
            assert done.setdefault(step, found) == found
    assert 2 < len(done) < len(STEPS), "the kills came too early or too late to say anything"

    with watch(stderr=subprocess.PIPE, text=True) as process:
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
