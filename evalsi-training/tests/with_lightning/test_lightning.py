"""Files that Lightning's own ModelCheckpoint saved, evaluated to the end."""

import threading
from pathlib import Path

import pytest
import torch
from fitting import Line, breaks, fit
from noting import Noting
from ranks import said, two_ranks

from evalsi.core import SpecError
from evalsi.training import lightning_checkpoint_callback

LOOP = Path(__file__).with_name("fitting.py")


def step_in(path):
    return torch.load(path, weights_only=False)["global_step"]


def test_every_save_is_evaluated_after_it_is_there(tmp_path):
    evaluator = Noting(step_in)

    _, callback = fit(tmp_path, evaluator)

    assert [(step, told) for step, _, told in evaluator.seen] == [(2, 2), (4, 4), (6, 6)]
    assert [result.step for result in callback.runner.results] == [2, 4, 6]
    assert len(list(tmp_path.glob("*.ckpt"))) == 3


def test_all_have_ended_when_training_breaks(tmp_path):
    evaluator = Noting(step_in)

    with pytest.raises(RuntimeError, match="training broke"):
        fit(tmp_path, evaluator, module=Line(4, breaks))

    assert [step for step, _, _ in evaluator.seen] == [2, 4]


def test_a_regression_stops_the_training_at_the_next_step(tmp_path):
    trainer, _ = fit(tmp_path, Noting(falls={4}), steps=20, wait=True, stop_on_regression=True)

    assert trainer.global_step == 5


def test_a_regression_that_is_found_later_stops_the_training_at_the_next_step(tmp_path):
    go = threading.Event()
    evaluator = Noting(falls={2}, wait_for=go)

    def found(module):
        go.set()
        module.trainer.checkpoint_callback.runner.close()

    trainer, _ = fit(tmp_path, evaluator, steps=20, module=Line(2, found), stop_on_regression=True)

    assert trainer.global_step == 4
    assert [step for step, *_ in evaluator.seen] == [2, 4]


@pytest.mark.parametrize("options", [{"save_top_k": 3}, {"save_last": True}])
def test_retention_that_would_delete_what_waits_is_refused(options):
    with pytest.raises(SpecError, match="leave save_top_k and save_last"):
        lightning_checkpoint_callback(Noting(), **options)


def test_two_ranks_evaluate_once_and_to_the_end(tmp_path):
    done = two_ranks(LOOP, tmp_path, "--slow")

    assert done.returncode == 0, done.stderr
    assert said(done) == ["rank 0: [2, 4, 6] of 6", "rank 1: [] of 6"]


def test_two_ranks_stop_at_the_next_step_together(tmp_path):
    done = two_ranks(LOOP, tmp_path, "--falls=4")

    assert done.returncode == 0, done.stderr
    assert said(done) == ["rank 0: [2, 4] of 5", "rank 1: [] of 5"]


def test_two_ranks_that_break_have_evaluated_what_was_saved(tmp_path):
    done = two_ranks(LOOP, tmp_path, "--slow", "--fails-at=4")

    assert done.returncode != 0
    assert "training broke" in done.stderr
    assert said(done) == ["rank 0: [2, 4] of 4", "rank 1: [] of 4"]
