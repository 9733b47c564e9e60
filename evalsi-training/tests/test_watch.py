"""The faults that every watcher has had, each by its name, and what ours does instead."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from training_kit import QUESTIONS, spec

from evalsi.training import CheckpointEvaluator, Endpoint, ServingError
from evalsi.training.sources import Directory, SourceError
from evalsi.training.watching import TRIES, Watch

KNOWN = set(QUESTIONS)


class Named(Endpoint):
    """The server's model bears the checkpoint's folder name."""

    def serve(self, checkpoint, name):
        return Endpoint(self._base_url, Path(checkpoint).name).serve(checkpoint, name)


def checkpoint(place, step):
    folder = place / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")


def watch(tmp_path, server, **options):
    evaluator = CheckpointEvaluator(
        spec(tmp_path / "spec.json"),
        training_run="run",
        serving=options.pop("serving", Named(server.base_url)),
        log_dir=tmp_path / "logs",
    )
    return Watch(evaluator, Directory(tmp_path / "out", settle=0), **options)


def looked(watching):
    return [(result.step, result.status) for result in watching.look()]


@pytest.fixture
def out(tmp_path, server):
    server.knows = {f"checkpoint-{step}": KNOWN for step in range(100)}
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def test_half_written(tmp_path, server, out):
    watching = watch(tmp_path, server)
    checkpoint(out, 1)
    (out / "checkpoint-1" / "model.safetensors").unlink()
    assert looked(watching) == []

    (out / "checkpoint-1" / "model.safetensors").write_bytes(b"weights")

    assert looked(watching) == [(1, "ok")]


def test_failed_is_not_done(tmp_path, server, out):
    checkpoint(out, 1)
    checkpoint(out, 2)
    server.down = KNOWN
    watching = watch(tmp_path, server)
    assert looked(watching) == [(1, "error"), (2, "error")]

    server.down = set()

    assert looked(watching) == [(1, "ok"), (2, "ok")]
    assert looked(watching) == []


def test_one_broken_checkpoint_does_not_stop_the_rest_and_is_not_tried_for_ever(
    tmp_path, server, out
):
    class Broken(Named):
        def serve(self, checkpoint, name):
            if checkpoint.endswith("checkpoint-1"):
                raise ServingError("its weights are NaN")
            return super().serve(checkpoint, name)

    checkpoint(out, 1)
    checkpoint(out, 2)
    watching = watch(tmp_path, server, serving=Broken(server.base_url))

    assert looked(watching) == [(1, "error"), (2, "ok")]
    assert [looked(watching) for _ in range(TRIES)] == [[(1, "error")]] * (TRIES - 1) + [[]]


def test_an_older_step_that_arrives_late(tmp_path, server, out):
    watching = watch(tmp_path, server)
    checkpoint(out, 20)
    assert looked(watching) == [(20, "ok")]

    checkpoint(out, 10)

    assert looked(watching) == [(10, "ok")]
    assert [one.step for one in watching.evaluator.history()] == [10, 20]


def test_a_jumped_interval_is_kept_under_its_own_step(tmp_path, server, out):
    watching = watch(tmp_path, server)
    for step in (24, 26):
        checkpoint(out, step)

    assert looked(watching) == [(24, "ok"), (26, "ok")]


def test_the_final_checkpoint_that_comes_during_an_evaluation_is_not_missed(tmp_path, server, out):
    checkpoint(out, 1)
    watching = watch(tmp_path, server)
    look = watching.look()
    assert next(look).step == 1

    checkpoint(out, 2)

    assert [result.step for result in look] == [2]


def test_deleted_while_queued_is_evaluated_all_the_same(tmp_path, server, out):
    checkpoint(out, 1)
    checkpoint(out, 2)
    watching = watch(tmp_path, server)
    look = watching.look()
    assert next(look).step == 1
    shutil.rmtree(out / "checkpoint-2")

    assert [(result.step, result.status) for result in look] == [(2, "ok")]


def test_a_source_that_disappears_is_told_once_and_watched_on(tmp_path, server, out):
    class Flaky:
        calls = 0

        def scan(self, done):
            self.calls += 1
            if self.calls < 3:
                raise SourceError("the mount is gone")
            return []

    told = []
    watching = watch(tmp_path, server, tell=told.append)
    watching.source = Flaky()

    assert [looked(watching) for _ in range(3)] == [[], [], []]
    assert told == ["the mount is gone"]


WATCH = """
import sys
from evalsi.core.cli import main
sys.argv = ["evalsi", "checkpoints", "watch", *sys.argv[1:]]
main()
"""


def test_a_killed_watch_goes_on_and_evaluates_every_step_once_in_order(tmp_path, server, out):
    for step in range(1, 5):
        checkpoint(out, step)
    path = spec(tmp_path / "spec.json")
    places = [str(out / ".evalsi-pins" / f"checkpoint-{step}") for step in range(1, 5)]
    server.knows = dict.fromkeys(places, KNOWN)
    words = [str(out), "-f", str(path), "--training-run", "run", "--log-dir", str(tmp_path / "l")]
    words += ["--serve", "endpoint", "--base-url", server.base_url, "--settle", "0", "--once"]
    command = [sys.executable, "-c", WATCH, *words]
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    for kill in range(20):
        with subprocess.Popen(
            command, env=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(0.3 + 0.05 * kill)
            process.send_signal(signal.SIGKILL)

    done = subprocess.run(
        command, env=where, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    asked = [(model, question) for model, question in server.asked]
    models = list(dict.fromkeys(model for model, _ in asked))
    assert models == places
    in_flight = 16 * 20  # a request that was under way when its asker was killed is asked again
    assert len(set(asked)) == 4 * len(QUESTIONS)
    assert len(asked) <= 4 * len(QUESTIONS) + in_flight
    assert not [path for path in (tmp_path / "l").rglob(".*") if path.name != ".lock"]
