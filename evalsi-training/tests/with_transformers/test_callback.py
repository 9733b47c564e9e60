"""Saves of transformers' own trainer, evaluated beside the training."""

import threading
from pathlib import Path

import pytest
from noting import Noting
from ranks import said, two_ranks
from saving import trained
from training_kit import QUESTIONS, spec

from evalsi.training import CheckpointEvaluator, callback
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
    made = evalsi_callback(evaluator)
    late = made.on_train_end
    made.on_train_end = lambda *args, **words: (go.set(), late(*args, **words))[1]

    trained(tmp_path, made, steps=6, save_total_limit=1)

    assert [(step, whole) for step, _, whole in evaluator.seen] == [(2, True), (4, True), (6, True)]
    assert [path.name for path in tmp_path.glob("checkpoint-*")] == ["checkpoint-6"]
    assert not (tmp_path / ".evalsi-pins").exists()


def test_a_regression_stops_the_training_at_the_next_step(tmp_path):
    made = evalsi_callback(Noting(falls={4}), stop_on_regression=True, wait=True)

    state = trained(tmp_path, made, steps=50)

    assert state.global_step == 5


def test_a_stop_file_stops_the_training_at_the_next_step(tmp_path):
    stop = tmp_path / "stop"
    stop.write_text("regressed")

    state = trained(tmp_path, evalsi_callback(None, stop_file=stop), steps=50)

    assert state.global_step == 1


@pytest.mark.parametrize(("options", "exchanges"), [({}, 1), ({"stop_on_regression": True}, 7)])
def test_steps_exchange_nothing_where_nothing_can_stop_the_training(
    tmp_path, monkeypatch, options, exchanges
):
    asked = []
    monkeypatch.setattr(callback, "_as_rank_zero", lambda stop, _: asked.append(stop) or stop)

    trained(tmp_path, evalsi_callback(Noting(), **options), steps=6)

    assert len(asked) == exchanges


@pytest.fixture
def evaluator(tmp_path, server, named):
    """Evaluates in earnest: step 2 knows half of the questions, the others a quarter."""
    server.knows = {f"checkpoint-{step}": set(QUESTIONS[:10]) for step in range(50)}
    server.knows["checkpoint-2"] = set(QUESTIONS[:20])
    return CheckpointEvaluator(
        spec(tmp_path / "spec.json"),
        training_run="run",
        serving=named(server.base_url),
        log_dir=tmp_path / "logs",
        patience=2,
    )


def test_patience_that_runs_out_stops_the_training_at_the_next_step(tmp_path, evaluator, caplog):
    state = trained(tmp_path / "out", evalsi_callback(evaluator, wait=True), steps=50)

    assert state.global_step == 7
    assert "training stops: right has not improved on 0.5, which step 2 had" in caplog.text


def test_the_best_checkpoint_outlives_the_trainers_retention(tmp_path, evaluator):
    trained(tmp_path / "out", evalsi_callback(evaluator), steps=6, save_total_limit=1)

    assert [path.name for path in (tmp_path / "out").glob("checkpoint-*")] == ["checkpoint-6"]
    best = tmp_path / "logs" / "run" / "best"
    assert best.resolve().name == "checkpoint-2"
    assert files(best)
    assert evaluator.curve().best.value == 0.5


@pytest.mark.parametrize("falls", ["", "4"])
def test_two_ranks_evaluate_once(tmp_path, falls):
    done = two_ranks(LOOP, tmp_path, falls)

    assert done.returncode == 0, done.stderr
    steps, ends = ([2, 4], 5) if falls else ([2, 4, 6], 6)
    assert said(done) == [f"rank 0: {steps} of {ends}", f"rank 1: [] of {ends}"]
