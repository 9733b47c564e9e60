"""`--tracker` and `checkpoints publish`, with a tracker of a pack that registers one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tracker_kit import BASE, FELL, evaluated, history_at
from training_kit import QUESTIONS, put, spec

from evalsi.core.cli.root import root

FAKES = Path(__file__).parent / "fakes"
PUBLISH = ("publish", "--training-run", "run")


def evalsi(*words, cwd):
    command = (str(Path(sys.executable).with_name("evalsi")), "checkpoints", *map(str, words))
    environment = {**os.environ, "PYTHONPATH": str(FAKES)}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def publish(tmp_path, *words):
    return evalsi(*PUBLISH, "--log-dir", tmp_path, *words, cwd=tmp_path)


def refused(tmp_path, *words):
    """What is said, here in this process, of words that are refused before anything is sent."""
    given = ("checkpoints", *PUBLISH, "--log-dir", str(tmp_path), *words)
    ended = CliRunner().invoke(root, given)
    assert ended.exit_code == 2, ended.output
    return ended.output


def noted(tmp_path):
    return ("--tracker", "noted", "--tracker-arg", f"path={tmp_path / 'noted'}")


def test_publishing_sends_what_is_not_confirmed(tmp_path):
    evaluated(tmp_path, {"base": BASE, 1: FELL})

    first, second = (publish(tmp_path, *noted(tmp_path)) for _ in range(2))

    assert (first.returncode, first.stderr) == (0, "2 messages confirmed\n")
    assert (second.returncode, second.stderr) == (0, "0 messages confirmed\n")
    assert [row["at"] for row in lines(tmp_path / "noted")] == [0, 1]


def test_publishing_sends_steps_that_are_older_than_the_outbox(tmp_path):
    history = history_at(tmp_path)
    put(history, "base", {"right": BASE})
    put(history, 1, {"right": FELL})

    done = publish(tmp_path, *noted(tmp_path), "--regression", "right:0.1")

    assert done.returncode == 0, done.stderr
    assert [row["row"]["evalsi/status"] for row in lines(tmp_path / "noted")] == [0.0, 4.0]


def test_what_is_left_is_exit_code_4(tmp_path):
    evaluated(tmp_path, {"base": BASE})

    done = publish(tmp_path, "--tracker", "noted", "--tracker-arg", "path=/nowhere/noted")

    assert done.returncode == 4
    assert done.stderr.count("FileNotFoundError") == 1


def test_while_a_writer_holds_the_run_its_messages_are_sent_all_the_same(tmp_path):
    evaluated(tmp_path, {"base": BASE})

    with history_at(tmp_path).writing():
        done = publish(tmp_path, *noted(tmp_path))

    assert done.returncode == 0
    assert "being written by" in done.stderr
    assert [row["at"] for row in lines(tmp_path / "noted")] == [0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--tracker"),
        (("--tracker", "noted"), "the tracker noted needs path"),
        (("--tracker", "noted", "--tracker-arg", "path"), "no KEY=VALUE"),
        (("--tracker", "noted", "--tracker-arg", "folder=x"), "noted take no folder; known: path"),
        (("--tracker", "wanbd"), 'did you mean "wandb"?'),
    ],
)
def test_options_that_name_no_tracker_are_refused(tmp_path, words, told):
    evaluated(tmp_path, {"base": BASE})

    assert told in refused(tmp_path, *words)


def test_a_run_without_a_step_is_refused(tmp_path):
    assert "holds no step" in refused(tmp_path, *noted(tmp_path))


@pytest.mark.parametrize("name", ["mlflow", "tensorboard", "wandb"])
def test_a_library_that_is_missing_is_named_with_its_extra(tmp_path, name):
    evaluated(tmp_path, {"base": BASE})
    blocked = tmp_path / "blocked" / name
    blocked.mkdir(parents=True)
    (blocked / "__init__.py").write_text(f"raise ImportError('no {name}')")
    command = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); "
        "from evalsi.core.cli import main; sys.exit(main())"
    )
    words = (*PUBLISH, "--log-dir", str(tmp_path), "--tracker", name)

    done = subprocess.run(
        [sys.executable, "-c", command, str(blocked.parent), "checkpoints", *words],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert f"pip install 'evalsi-training[{name}]'" in done.stderr


def test_watching_publishes_each_step_and_goes_on_without_its_tracker(tmp_path, server):
    server.knows = {"base": set(QUESTIONS), "checkpoint-1": set(QUESTIONS)}
    folder = tmp_path / "out" / "checkpoint-1"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    words = (
        *("watch", tmp_path / "out", "-f", spec(tmp_path / "spec.json"), "--training-run", "run"),
        *("--log-dir", tmp_path, "--serve", "named", "--base-url", server.base_url),
        *("--base", "base", "--once", "--settle", "0"),
    )

    down = evalsi(*words, "--tracker", "noted", "--tracker-arg", "path=/nowhere/x", cwd=tmp_path)
    up = evalsi(*words, *noted(tmp_path), cwd=tmp_path)

    assert (down.returncode, up.returncode) == (0, 0), down.stderr + up.stderr
    assert [row["at"] for row in lines(tmp_path / "noted")] == [0, 1]


def test_trackers_show_among_the_plugins():
    done = subprocess.run(
        [str(Path(sys.executable).with_name("evalsi")), "plugins"],
        capture_output=True,
        text=True,
        check=True,
    )

    found = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("tracker")]
    assert found == ["training:mlflow", "training:tensorboard", "training:wandb"]
