"""Evaluation beside the training: in order, one at a time, to the end, whatever goes wrong."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from noting import FELL, HELD
from training_kit import QUESTIONS, spec

from evalsi.core import DataError
from evalsi.training.history import HeldError, History
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
        fell = self.statuses.get(step) == "fell"
        return StepResult(
            step, comparisons=FELL if fell else HELD, reasons=("right: -0.5",) if fell else ()
        )


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


def test_a_late_older_step_takes_its_own_place(tmp_path):
    evaluator = Evaluator({20: "fell", 10: "fell"})
    runner = CheckpointRunner(evaluator, wait=True, confirm=2)
    for step in (30, 20, 10):
        runner.submit("a name", step)

    assert not runner.regressed


def test_a_regression_is_a_reason_to_stop_where_that_is_asked(tmp_path):
    runner = CheckpointRunner(Evaluator({1: "fell"}), wait=True)
    assert runner.stop_reason(regression=True) == ""
    runner.submit("a name", 1)

    assert runner.stop_reason(regression=True) == "step 1 regressed: right: -0.5"
    assert runner.stop_reason(regression=False) == ""


def test_a_history_that_cannot_be_read_ends_nothing(tmp_path, caplog):
    class Broken(Evaluator):
        def history(self):
            raise DataError("step-1.json cannot be read")

    with CheckpointRunner(Broken({1: "fell"})) as runner:
        runner.submit(folder(tmp_path, 1), 1)
        runner.submit(folder(tmp_path, 2), 2)

    assert len(runner.results) == 2
    assert not runner.regressed
    assert "what was measured so far cannot be read" in caplog.text


def test_a_name_is_handed_on_as_it_is(tmp_path):
    evaluator = Evaluator()
    with CheckpointRunner(evaluator) as runner:
        runner.submit("my-org/my-model", "base")

    assert evaluator.seen == [("base", "my-model", False)]


def test_each_result_is_told_behind_it(tmp_path):
    told = []
    with CheckpointRunner(
        Evaluator(), then=lambda result: told.append(len(runner.results))
    ) as runner:
        for step in (1, 2):
            runner.submit(folder(tmp_path, step), step)

    assert told == [1, 2]


BREAKS = """
import sys
from evalsi.training.judging import StepResult
from evalsi.training.runner import CheckpointRunner

class Evaluator:
    def evaluate(self, checkpoint, step):
        print(step, flush=True)
        return StepResult(step)

runner = CheckpointRunner(Evaluator())
for step in (1, 2, 3):
    runner.submit(sys.argv[1], step)
raise RuntimeError("training broke")
"""


def test_a_program_that_breaks_without_closing_ends_when_all_are_evaluated(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", BREAKS, str(folder(tmp_path, 1))],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert (done.returncode, done.stdout.split()) == (1, ["1", "2", "3"])
    assert "training broke" in done.stderr


BREAKS_IN_EARNEST = """
import sys
from evalsi.training import CheckpointEvaluator, CheckpointRunner, Endpoint

path, logs, base_url, checkpoint = sys.argv[1:]
evaluator = CheckpointEvaluator(
    path, training_run="run", serving=Endpoint(base_url, "m"), log_dir=logs
)
runner = CheckpointRunner(evaluator)
for step in (1, 2):
    runner.submit(checkpoint, step)
raise RuntimeError("training broke")
"""


def test_what_waits_when_a_program_breaks_is_evaluated_in_earnest(tmp_path, server):
    server.knows = {"m": set(QUESTIONS)}
    place = folder(tmp_path, 1)
    words = [spec(tmp_path / "spec.json"), tmp_path / "logs", server.base_url, place]
    done = subprocess.run(
        [sys.executable, "-c", BREAKS_IN_EARNEST, *map(str, words)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, "training broke" in done.stderr) == (1, True)
    # Those two start no thread any more at that time: python/cpython#113964.
    deaf = sys.version_info[:3] in {(3, 12, 0), (3, 12, 1)}
    steps = History(tmp_path / "logs", "run").steps()
    assert steps == ([] if deaf else [1, 2]), done.stderr
    assert not (tmp_path / ".evalsi-pins").exists()


@pytest.mark.parametrize(("busy", "errors"), [(3, [""]), (4, ["HeldError: publish has it"])])
def test_a_training_run_that_another_writes_for_a_moment_is_waited_for(
    tmp_path, monkeypatch, busy, errors
):
    class Held(Evaluator):
        def evaluate(self, checkpoint, step):
            self.seen.append(step)
            if len(self.seen) <= busy:
                raise HeldError("publish has it")
            return StepResult(step)

    monkeypatch.setattr("evalsi.training.runner._PAUSE_S", 0.01)
    with CheckpointRunner(Held()) as runner:
        runner.submit(folder(tmp_path, 1), 1)

    assert [result.error for result in runner.results] == errors
