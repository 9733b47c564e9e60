"""Saves of verl's own trainer, evaluated beside the training or in its stead."""

import threading
import time
from pathlib import Path

import pytest
import training
from noting import Noting
from training import SHARDS, Training, Workers

from evalsi.core import SpecError
from evalsi.training import verl_checkpoint_callback
from evalsi.training.serving.models import whole_model_at


@pytest.fixture
def fit(tmp_path, monkeypatch):
    """Trains so many steps with a save at every other one; gives the trainer when it has ended."""
    monkeypatch.setattr(training.trainer_base.tq, "kv_clear", lambda **_: None)

    def fit(evaluator, *words, steps=6, workers=None, within=lambda trainer: None, **options):
        made = verl_checkpoint_callback(lambda config: evaluator, **options)
        monkeypatch.setattr(training, "Evaluated", made)
        settings = training.config(tmp_path / "out", *words)
        trainer = Training(settings, workers or Workers(), steps=steps, within=within)
        trainer.fit(None)
        return trainer

    return fit


def at(step, do):
    return lambda trainer: trainer.global_steps == step and do(trainer)


def until(holds):
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def files(model):
    return sorted(path.name for path in Path(model).iterdir())


WHOLE = ["config.json", "model.safetensors"]


def test_every_save_is_evaluated_and_all_have_ended_when_training_returns(fit):
    go = threading.Event()
    evaluator = Noting(files, wait_for=go)

    trainer = fit(evaluator, steps=5, within=at(5, lambda _: go.set()))

    assert evaluator.seen == [(step, "huggingface", WHOLE) for step in (2, 4, 5)]
    results = trainer.checkpoint_callback.runner.results
    assert [(result.step, result.error) for result in results] == [(2, ""), (4, ""), (5, "")]


def test_the_trainers_retention_deletes_nothing_that_waits(fit, tmp_path):
    go = threading.Event()
    evaluator = Noting(files, wait_for=go)

    fit(evaluator, "trainer.max_actor_ckpt_to_keep=1", within=at(6, lambda _: go.set()))

    assert evaluator.seen == [(step, "huggingface", WHOLE) for step in (2, 4, 6)]
    assert not (tmp_path / "out" / "global_step_2" / "actor").exists()
    assert not (tmp_path / "out" / ".evalsi-pins").exists()


def test_a_regression_stops_the_training_behind_the_step_that_saved(fit):
    trainer = fit(Noting(falls={4}), steps=50, wait=True, stop_on_regression=True)

    assert trainer.ran == 4


def test_a_regression_that_is_found_later_stops_the_training_behind_that_step(fit):
    told = at(5, lambda trainer: until(lambda: trainer.total_training_steps == 5))

    trainer = fit(Noting(falls={4}), steps=50, within=told, stop_on_regression=True)

    assert trainer.ran == 5


def test_a_regression_stops_nothing_while_a_newer_save_waits(fit):
    go = threading.Event()
    evaluator = Noting(falls={2}, wait_for=go)

    trainer = fit(evaluator, within=at(5, lambda _: go.set()), stop_on_regression=True)

    assert trainer.ran == 6
    assert [step for step, *_ in evaluator.seen] == [2, 4, 6]


def test_without_being_asked_a_regression_stops_nothing(fit):
    assert fit(Noting(falls={2}), steps=6, wait=True).ran == 6


def test_a_stop_file_stops_the_training_at_the_next_save(fit, tmp_path):
    stop, evaluator = tmp_path / "stop", Noting()
    written = at(3, lambda _: stop.write_text("regressed"))

    trainer = fit(evaluator, steps=50, stop_file=stop, within=written)

    assert trainer.ran == 4
    assert [step for step, *_ in evaluator.seen] == [2, 4]


class ShardsAlone(Workers):
    def save_checkpoint(self, folder, remote, step, max_ckpt_to_keep=None):
        (Path(folder) / "huggingface").mkdir(parents=True)
        (Path(folder) / "huggingface" / "config.json").write_text("{}")
        (Path(folder) / SHARDS).write_bytes(b"shards")


def test_shards_without_a_model_are_an_error_with_the_mend_and_training_goes_on(fit):
    trainer = fit(Noting(whole_model_at), workers=ShardsAlone())

    assert trainer.ran == 6
    results = trainer.checkpoint_callback.runner.results
    assert [result.status for result in results] == ["error"] * 3
    assert "save_contents=[model,optimizer,extra,hf_model]" in results[0].error


def test_a_save_that_cannot_even_be_submitted_ends_nothing(fit, monkeypatch, caplog):
    from evalsi.training import verl

    def submit(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(verl.CheckpointRunner, "submit", submit)

    assert fit(Noting()).ran == 6
    assert "the disk is full" in caplog.text


def test_an_asynchronous_save_is_evaluated_once_nobody_writes_to_it(fit):
    writers = []

    def late(write):
        writers.append(threading.Timer(0.3, write))
        writers[-1].start()

    evaluator = Noting(files)
    asynchronous = "actor_rollout_ref.actor.checkpoint.async_save=True"

    fit(evaluator, asynchronous, workers=Workers(late), settle=0.5)

    assert evaluator.seen == [(step, "huggingface", WHOLE) for step in (2, 4, 6)]


def test_the_evaluator_is_made_of_verls_settings_before_anything_is_trained(tmp_path, monkeypatch):
    def evaluator_of(config):
        raise SpecError(f"{config.trainer.experiment_name} has no spec")

    monkeypatch.setattr(training, "Evaluated", verl_checkpoint_callback(evaluator_of))

    with pytest.raises(SpecError, match="gym has no spec"):
        Training(training.config(tmp_path), Workers(), steps=6)
