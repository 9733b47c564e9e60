"""Evaluation beside the training: in order, one at a time, to the end, whatever goes wrong."""

import shutil
import threading
from pathlib import Path

import pytest

from evalsi.training.judging import StepResult
from evalsi.training.runner import CheckpointRunner


class Evaluator:
    """Notes what it is asked; waits for `go` where there is one."""

    def __init__(self, statuses=(), go=None):
        self.statuses = dict(statuses)
        self.go = go
        self.seen = []
        self.busy = threading.Lock()

    def evaluate(self, checkpoint, step):
        assert self.busy.acquire(blocking=False)
        if self.go is not None:
            assert self.go.wait(10)
        self.seen.append((step, Path(checkpoint).name, Path(checkpoint).exists()))
        self.busy.release()
        if self.statuses.get(step) == "raises":
            raise RuntimeError("it broke")
        return Result(step, fell=self.statuses.get(step) == "fell")


class Result(StepResult):
    __slots__ = ("fell",)

    def __init__(self, step, *, fell):
        super().__init__(step)
        object.__setattr__(self, "fell", fell)

    @property
    def regressed(self):
        return self.fell


def folder(tmp_path, step):
    place = tmp_path / f"checkpoint-{step}"
    place.mkdir()
    (place / "model.safetensors").write_bytes(b"x")
    return place


def test_checkpoints_are_evaluated_in_order_and_all_before_the_end(tmp_path):
    go = threading.Event()
    evaluator = Evaluator(go=go)
    with CheckpointRunner(evaluator) as runner:
        for step in (30, 10, 20):
            runner.submit(folder(tmp_path, step), step)
        assert runner.results == []
        go.set()

    assert [step for step, _, _ in evaluator.seen] == [30, 10, 20]
    assert [result.step for result in runner.results] == [30, 10, 20]


def test_a_checkpoint_that_is_deleted_while_it_waits_is_evaluated_all_the_same(tmp_path):
    go = threading.Event()
    evaluator = Evaluator(go=go)
    with CheckpointRunner(evaluator) as runner:
        place = folder(tmp_path, 1)
        runner.submit(place, 1)
        shutil.rmtree(place)
        go.set()

    assert evaluator.seen == [(1, "checkpoint-1", True)]
    assert list(tmp_path.iterdir()) == []


def test_waiting_evaluates_in_the_callers_thread(tmp_path):
    runner = CheckpointRunner(Evaluator(), wait=True)

    runner.submit(folder(tmp_path, 1), 1)

    assert [result.step for result in runner.results] == [1]
    runner.close()


def test_an_evaluation_that_fails_is_a_result_and_ends_nothing(tmp_path, caplog):
    with CheckpointRunner(Evaluator({1: "raises"})) as runner:
        runner.submit(folder(tmp_path, 1), 1)
        runner.submit(folder(tmp_path, 2), 2)

    first, second = runner.results
    assert (first.error, first.passed) == ("RuntimeError: it broke", False)
    assert second.passed
    assert "step 1 was not evaluated" in caplog.text


@pytest.mark.parametrize(
    ("confirm", "says", "fell"),
    [
        (1, [0, 1], True),
        (1, [1, 0], False),
        (2, [0, 1], False),
        (2, [1, 1], True),
        (2, [1, "raises", 1], True),
        (3, [1, 1], False),
    ],
)
def test_so_many_regressions_in_a_row(tmp_path, confirm, says, fell):
    words = {0: "", 1: "fell", "raises": "raises"}
    evaluator = Evaluator({step: words[one] for step, one in enumerate(says)})
    runner = CheckpointRunner(evaluator, wait=True, confirm=confirm)
    for step in range(len(says)):
        runner.submit("a name", step)

    assert runner.regressed is fell


def test_a_name_is_handed_on_as_it_is(tmp_path):
    evaluator = Evaluator()
    with CheckpointRunner(evaluator) as runner:
        runner.submit("my-org/my-model", "base")

    assert evaluator.seen == [("base", "my-model", False)]
