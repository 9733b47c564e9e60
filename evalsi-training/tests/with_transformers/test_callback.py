"""Saves of transformers' own trainer, evaluated beside the training."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from noting import Noting
from saving import trained

from evalsi.training.callback import evalsi_callback

LOOP = Path(__file__).with_name("saving.py")


def files(checkpoint):
    held = {path.name for path in Path(checkpoint).iterdir()}
    return {"model.safetensors", "config.json"} <= held


def test_every_save_is_evaluated_and_all_have_ended_when_training_returns(tmp_path):
    evaluator = Noting(files)

    trained(tmp_path, evalsi_callback(evaluator), steps=6)

    assert evaluator.seen == [(step, f"checkpoint-{step}", True) for step in (2, 4, 6)]


def test_the_trainers_retention_deletes_nothing_that_waits(tmp_path):
    go = threading.Event()
    evaluator = Noting(files, wait_for=go)
    callback = evalsi_callback(evaluator)
    late = callback.on_train_end
    callback.on_train_end = lambda *args, **words: (go.set(), late(*args, **words))[1]

    trained(tmp_path, callback, steps=6, save_total_limit=1)

    assert [(step, whole) for step, _, whole in evaluator.seen] == [(2, True), (4, True), (6, True)]
    assert [path.name for path in tmp_path.glob("checkpoint-*")] == ["checkpoint-6"]
    assert not (tmp_path / ".evalsi-pins").exists()


def test_a_regression_stops_the_training_at_the_next_step(tmp_path):
    callback = evalsi_callback(Noting(falls={4}), stop_on_regression=True, wait=True)

    state = trained(tmp_path, callback, steps=50)

    assert state.global_step == 5


def test_a_stop_file_stops_the_training_at_the_next_step(tmp_path):
    stop = tmp_path / "stop"
    stop.write_text("regressed")

    state = trained(tmp_path, evalsi_callback(None, stop_file=stop), steps=50)

    assert state.global_step == 1


@pytest.mark.parametrize("falls", ["", "4"])
def test_two_ranks_evaluate_once(tmp_path, falls):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]

    done = subprocess.run(
        [*command, str(LOOP), str(tmp_path), falls],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    said = sorted(line for line in done.stdout.splitlines() if line.startswith("rank"))
    steps, ends = ([2, 4], 5) if falls else ([2, 4, 6], 6)
    assert said == [f"rank 0: {steps} of {ends}", f"rank 1: [] of {ends}"]
