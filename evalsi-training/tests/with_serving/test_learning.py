"""Learning curves of trainings for real, on `transformers serve`, and what stops them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import learning
import plain
import pytest
import sums
from ranks import said, two_ranks
from serving_kit import FAKES

from evalsi.training import Transformers


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A base that knows half of the sums."""
    words = sums.tokenizer()
    model = sums.untrained(words)
    sums.learn(model, sums.batch_of(sums.lessons(words)), 0.5)
    return sums.saved(model, words, tmp_path_factory.mktemp("begun") / "base")


@pytest.fixture
def evaluator(tmp_path):
    serving = Transformers()
    yield sums.evaluator_of(tmp_path, serving)
    serving.close()


def test_a_sabotaged_checkpoint_is_flagged_and_training_stops_at_the_next_step(
    tmp_path, begun, evaluator
):
    words, model = plain.loaded(begun)

    evaluator.evaluate_base(str(begun))
    ended = learning.train(model, words, evaluator, tmp_path / "out")

    learning.check(evaluator, ended)


def test_two_ranks_under_torchrun_stop_at_the_next_step(tmp_path, begun, evaluator):
    evaluator.evaluate_base(str(begun))

    done = two_ranks(learning.__file__, begun, tmp_path)

    assert done.returncode == 0, done.stderr
    ended = learning.SABOTAGED + 1
    assert said(done) == [f"rank 0: {ended}", f"rank 1: {ended}"]
    learning.check(evaluator, ended)


def test_a_plain_loop_is_stopped_by_the_file_that_a_watch_writes(tmp_path, begun):
    out, stop = tmp_path / "out", tmp_path / "stop"
    out.mkdir()
    words = ["checkpoints", "watch", str(out), "--serve", "transformers", "--base", str(begun)]
    words += ["-f", str(sums.spec_of(tmp_path / "spec.json")), "--training-run", "sums"]
    words += ["--log-dir", str(tmp_path / "logs"), "--regression", "right:0.1"]
    words += ["--interval", "0.5", "--settle", "1", "--stop-file", str(stop)]
    watch = subprocess.Popen(
        [Path(sys.executable).with_name("evalsi"), *words],
        env=os.environ | {"PYTHONPATH": str(FAKES)},
    )
    try:
        ended = plain.train(*plain.loaded(begun), out, stop)
    finally:
        watch.send_signal(signal.SIGINT)
        watch.wait(60)

    assert ended > plain.SABOTAGED
    assert stop.read_text().startswith(f"step {plain.SABOTAGED} regressed: ")
    rows = [json.loads((tmp_path / f"logs/sums/step-{step}.json").read_text()) for step in (20, 40)]
    known = [row["metrics"]["right"]["mean"] for row in rows]
    assert known[0] > 0.5
    assert known[1] < 0.1
