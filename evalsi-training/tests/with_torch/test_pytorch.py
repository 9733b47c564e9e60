"""State dictionaries of a plain loop: saved whole, evaluated in order, on rank zero alone."""

import os
import shutil
import stat
import threading
from pathlib import Path

import pytest
import torch
from noting import Noting
from ranks import said, two_ranks
from torch import nn

from evalsi.training import PyTorchCheckpointHook

LOOP = Path(__file__).with_name("two_ranks.py")


def bias(path):
    return torch.load(path, weights_only=True)["model"]["bias"].item()


def model_with(number):
    model = nn.Linear(2, 1)
    nn.init.constant_(model.bias, number)
    return model


def test_every_step_is_saved_and_evaluated_in_order(tmp_path):
    evaluator = Noting(bias)
    with PyTorchCheckpointHook(evaluator) as hook:
        for step in (100, 200, 300):
            hook.save(model_with(step), tmp_path / f"step-{step}.pt", step)

    assert evaluator.seen == [(s, f"step-{s}.pt", s) for s in (100, 200, 300)]
    assert [result.step for result in hook.results] == [100, 200, 300]


def test_what_else_is_given_is_kept_by_its_name(tmp_path):
    model = model_with(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.25)
    with PyTorchCheckpointHook(Noting()) as hook:
        hook.save(model, tmp_path / "step-1.pt", 1, optimizer=optimizer, epoch=3)

    state = torch.load(tmp_path / "step-1.pt", weights_only=True)
    assert (state["step"], state["epoch"]) == (1, 3)
    assert state["optimizer"]["param_groups"][0]["lr"] == 0.25


def test_the_file_has_the_mode_that_the_umask_gives(tmp_path):
    old = os.umask(0o027)
    try:
        with PyTorchCheckpointHook(Noting()) as hook:
            hook.save(model_with(1), tmp_path / "step-1.pt", 1)
    finally:
        os.umask(old)

    assert stat.S_IMODE((tmp_path / "step-1.pt").stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["step-1.pt"]


def test_a_path_of_an_earlier_step_is_refused_and_left_as_it_was(tmp_path):
    evaluator = Noting(bias)
    with PyTorchCheckpointHook(evaluator) as hook:
        hook.save(model_with(1), tmp_path / "model.pt", 1)
        with pytest.raises(FileExistsError, match="a path of its own"):
            hook.save(model_with(2), tmp_path / "model.pt", 2)

    assert evaluator.seen == [(1, "model.pt", 1)]


def test_a_file_that_is_deleted_while_it_waits_is_evaluated_all_the_same(tmp_path):
    go = threading.Event()
    evaluator = Noting(bias, wait_for=go)
    with PyTorchCheckpointHook(evaluator) as hook:
        hook.save(model_with(7), tmp_path / "out" / "step-1.pt", 1)
        (tmp_path / "out" / "step-1.pt").unlink()
        go.set()

    assert evaluator.seen == [(1, "step-1.pt", 7)]
    shutil.rmtree(tmp_path / "out")


def test_a_save_that_fails_leaves_nothing(tmp_path):
    with PyTorchCheckpointHook(Noting()) as hook, pytest.raises(Exception, match="pickle"):
        hook.save(model_with(1), tmp_path / "step-1.pt", 1, broken=lambda: None)

    assert list(tmp_path.iterdir()) == []
    assert hook.results == []


def test_a_loop_stops_by_a_regression(tmp_path):
    with PyTorchCheckpointHook(Noting(falls={2}), wait=True) as hook:
        for step in range(1, 10):
            if hook.stop_reason(regression=True):
                break
            hook.save(model_with(step), tmp_path / f"step-{step}.pt", step)

    assert step == 3


def test_two_ranks_save_and_evaluate_once_and_stop_together(tmp_path):
    done = two_ranks(LOOP, tmp_path)

    assert done.returncode == 0, done.stderr
    assert said(done) == ["rank 0: [(1, 'step-1.pt'), (2, 'step-2.pt')]", "rank 1: []"]
    assert done.stdout.count("sharded refused") == 2
    assert done.stdout.count("stopped before 3") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-1.pt", "step-2.pt"]
