"""The server that is kept warm, played: one process for every checkpoint, and none behind it."""

import gc
import json
import os
import subprocess
import sys

import pytest
from serving_kit import FAKES, answer, gone, marked, model, safetensors, servers, warm
from training_kit import spec

from evalsi.training import CheckpointEvaluator, ServingError, Transformers
from evalsi.training.testing import ServingTrial, check_serving


@pytest.fixture
def kept(request):
    made = warm(getattr(request, "param", "good"))
    yield made
    made.close()
    assert servers() == []


def said(strategy, folder):
    with strategy.serve(str(folder), "run-1") as served:
        return answer(served)


def test_one_process_serves_every_checkpoint(tmp_path, kept):
    first = said(kept, model(tmp_path / "a", "A"))
    first_ones = servers()

    assert (first, said(kept, model(tmp_path / "b", "B"))) == ("A", "B")
    assert servers() == first_ones


@pytest.mark.parametrize("kept", ["old"], indirect=True)
def test_a_server_that_cannot_forget_a_model_is_started_anew(tmp_path, kept):
    said(kept, model(tmp_path / "a"))
    first_ones = servers()

    said(kept, model(tmp_path / "b"))

    assert len(servers()) == len(first_ones)
    assert set(servers()).isdisjoint(first_ones)


@pytest.mark.parametrize("kept", ["dies-later"], indirect=True)
def test_a_server_that_died_is_told_and_started_anew(tmp_path, kept):
    folder = model(tmp_path, "A")
    with pytest.raises(ServingError, match=r"during the evaluation: .*CUDA out of memory"):
        evaluate(kept, folder)

    assert said(kept, folder) == "A"


def evaluate(strategy, folder):
    with strategy.serve(str(folder), "run-1") as served:
        return [answer(served) for _ in range(10)]


def error_of_the_step(tmp_path, serving, folder):
    """Why a step has no number."""
    path = spec(tmp_path / "spec.json")
    made = CheckpointEvaluator(path, training_run="run", serving=serving, log_dir=tmp_path / "logs")
    result = made.evaluate(folder, 1)
    assert (result.status, result.summaries, result.passed) == ("error", {}, False)
    return result.error


@pytest.mark.parametrize("kept", ["dies-on-its-first-request"], indirect=True)
def test_a_server_that_is_healthy_but_dies_on_its_first_request_is_an_error_of_the_step(
    tmp_path, kept
):
    told = error_of_the_step(tmp_path, kept, model(tmp_path))

    assert "before it was ready" in told
    assert "head_dim=16" in told


@pytest.mark.parametrize("kept", ["dies-later"], indirect=True)
def test_a_death_in_the_middle_is_an_error_of_the_step_and_no_number(tmp_path, kept):
    told = error_of_the_step(tmp_path, kept, model(tmp_path))

    assert "during the evaluation" in told
    assert "CUDA out of memory" in told


def test_nan_weights_are_an_error_of_the_step_and_no_number(tmp_path, kept):
    folder = model(tmp_path)
    nan = ("BF16", b"\xc0\x7f")
    safetensors(folder / "model.safetensors", norm=nan)

    assert "holds NaN in norm: its training diverged" in error_of_the_step(tmp_path, kept, folder)


def test_its_last_words_are_those_of_this_checkpoint(tmp_path):
    strategy = warm("refuses-b")
    said(strategy, model(tmp_path / "a", "A"))

    with pytest.raises(ServingError) as caught:
        said(strategy, model(tmp_path / "b"))
    strategy.close()

    assert "of b" in str(caught.value)
    assert "of a" not in str(caught.value)


def test_nothing_is_left_when_nobody_refers_to_it(tmp_path):
    said(warm(), model(tmp_path))

    gc.collect()  # tracebacks of tries before it was ready may refer to it in circles

    assert servers() == []


def test_nothing_is_left_behind_the_command_line(tmp_path):
    place = tmp_path / "bin" / "transformers"
    place.parent.mkdir()
    place.write_text(
        f'#!/bin/sh\nshift\nexec {sys.executable} {FAKES}/played_server.py good "$@"\n'
    )
    place.chmod(0o755)
    words = ["checkpoints", "eval", str(model(tmp_path)), "--step", "1", "--serve", "transformers"]
    words += ["-f", str(spec(tmp_path / "spec.json")), "--training-run", "run"]

    done = subprocess.run(
        [sys.executable, "-m", "evalsi.core.cli", *words, "--format", "json"],
        cwd=tmp_path,
        env=os.environ
        | {"PATH": f"{place.parent}:{os.environ['PATH']}", "PYTHONPATH": str(FAKES)}
        | {"EVALSI_MARK": tmp_path.name},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"][0]["metrics"]["right"]["mean"] == 0
    assert gone(marked(tmp_path.name), within_s=1)


def test_its_program_is_found_beside_a_python_whose_environment_is_not_active(
    tmp_path, monkeypatch
):
    place = tmp_path / "bin" / "a-server"
    place.parent.mkdir()
    place.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKES}/played_server.py good "$@"\n')
    place.chmod(0o755)
    (place.parent / "python").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(place.parent / "python"))
    strategy = Transformers(command=["a-server"])

    assert said(strategy, model(tmp_path, "A")) == "A"
    strategy.close()


def test_it_is_not_installed(tmp_path):
    with pytest.raises(ServingError, match=r"install it: pip install 'transformers\[serving\]'"):
        said(Transformers(command=["nowhere"]), model(tmp_path))


def test_it_keeps_every_promise_of_a_strategy(tmp_path, kept):
    trial = ServingTrial(kept, str(model(tmp_path / "a", "A")), str(model(tmp_path / "b", "B")))

    assert check_serving(trial) == []
