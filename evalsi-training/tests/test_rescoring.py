"""A training run scored anew: no model is asked, and all of it changes or nothing does."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from training_kit import QUESTIONS, spec

from evalsi.core.run.plan import checked
from evalsi.training.curve import curve_of
from evalsi.training.history import History
from evalsi.training.identity import identity_of_spec

NEW = {"evaluators": [{"ref": "right", "params": {"also": "no"}}]}
"""The evaluator mended: what the server says where it knows nothing is right too."""


@pytest.fixture
def history(tmp_path):
    return History(tmp_path / "logs", "run")


@pytest.fixture
def run(server, command):
    """A run of a base and two steps, of which the models know half, a quarter and nothing."""
    for name, step, count in (("base", "base", 20), ("c1", 1, 10), ("c2", 2, 0)):
        server.knows[name] = set(QUESTIONS[:count])
        assert command("eval", name, "--step", step).exit_code == 0
    server.asked.clear()


def means(history):
    return {one.step: one.summaries["right"]["mean"] for one in curve_of(history).results}


def test_another_evaluator_is_refused_and_the_message_names_the_mend(run, server, command):
    found = command("eval", "c3", "--step", 3, body=NEW)

    assert found.exit_code == 2
    assert "`evalsi checkpoints rescore --training-run run`" in found.output
    assert server.asked == []


def test_every_step_is_scored_anew_and_no_model_is_asked(run, server, command, history):
    before = history.read(1)

    found = command("rescore", body=NEW)

    assert (found.exit_code, server.asked) == (0, [])
    assert "scored anew: base, 1, 2" in found.output
    assert means(history) == {"base": 1.0, 1: 1.0, 2: 1.0}
    after = history.read(1)
    assert (after.checkpoint, after.evaluated) == (before.checkpoint, before.evaluated)
    assert after.by["right"]["params"] != before.by.get("right", {}).get("params")


def test_the_run_goes_on_with_the_new_evaluators_and_not_with_the_old(run, server, command):
    command("rescore", body=NEW)
    server.knows["c3"] = set()

    assert command("eval", "c3", "--step", 3, body=NEW).exit_code == 0
    assert command("eval", "c4", "--step", 4).exit_code == 2


def test_the_best_is_chosen_anew(run, command, history):
    assert json.loads((history.folder / "best.json").read_text())["value"] == 0.25

    command("rescore", body=NEW)

    assert json.loads((history.folder / "best.json").read_text())["value"] == 1.0


def test_a_step_that_failed_stays_so_and_goes_on_later(run, server, command, history):
    server.knows["c3"] = set(QUESTIONS)
    server.down = set(QUESTIONS[:4])
    command("eval", "c3", "--step", 3)
    command("eval", "c4", "--step", 4)
    assert history.read(4).error

    assert command("rescore", body=NEW).exit_code == 4
    assert history.read(4).error
    assert history.read(3).verdict == "none"

    server.down = set()
    server.forget()
    command("eval", "c3", "--step", 3, body=NEW)
    assert len(server.asked) == 4
    assert history.read(3).metrics["right"]["mean"] == 1.0


def test_mini_steps_stay_on_the_mini_panel(run, server, command, history):
    server.knows["c3"] = set()
    command("eval", "c3", "--step", 3, "--mini", 10)
    assert history.read(3).panel == "mini"
    server.asked.clear()

    found = command("rescore", body=NEW)

    assert (found.exit_code, server.asked) == (0, [])
    record = history.read(3)
    assert (record.panel, record.mini) == ("mini", {"records": 10, "seed": 0})
    assert record.metrics["right@mini"]["mean"] == 1.0


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"dataset": {"inline": {"records": [{"id": "q0", "input": "q0"}]}}}, "other records"),
        ({"trials": 2}, "another target, or of another number of trials"),
    ],
)
def test_other_records_or_another_question_is_refused_and_nothing_changes(
    run, command, history, body, says
):
    before = means(history)

    found = command("rescore", body={**NEW, **body})

    assert found.exit_code == 2
    assert says in found.output
    assert means(history) == before
    assert not (history.folder / ".new").exists()


def test_missing_outputs_are_named_and_nothing_changes(run, command, history):
    before = means(history)
    history.result_path(2).unlink()

    found = command("rescore", body=NEW)

    assert found.exit_code == 2
    assert "lacks the outputs of step 2" in found.output
    assert means(history) == before


def test_another_writer_is_waited_for_by_the_user(run, command, history):
    with history.writing():
        assert "is being written by process" in command("rescore", body=NEW).output


RESCORE = """
import sys
from evalsi.core.cli import main
sys.argv = ["evalsi", "checkpoints", "rescore", *sys.argv[1:]]
main()
"""


def test_whenever_it_is_killed_all_steps_are_old_or_all_are_new(run, tmp_path, history):
    words = ["-f", str(spec(tmp_path / "new.json", **NEW)), "--training-run", "run"]
    words += ["--log-dir", str(tmp_path / "logs")]
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    old, new = {"base": 0.5, 1: 0.25, 2: 0.0}, {"base": 1.0, 1: 1.0, 2: 1.0}
    seen = []
    for _ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", RESCORE, *words],
            env=where,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            until_it_writes(history, process, len(seen))
            process.send_signal(signal.SIGKILL)
        seen.append(means(history))
        assert seen[-1] in (old, new)
        held = new if seen[-1] == new else old
        body = NEW if held == new else {}
        history.refuse_another(identity_of_spec(checked(spec(tmp_path / "now.json", **body))))

    done = subprocess.run([sys.executable, "-c", RESCORE, *words], env=where, check=False)
    assert done.returncode == 0
    assert means(history) == new
    assert not (history.folder / ".new").exists()


def until_it_writes(history, process, number):
    """Waits until files are written aside, and a little longer each time."""
    deadline = time.monotonic() + 30
    while not (history.folder / ".new").exists():
        assert process.poll() is None, "it ended before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.001)
    time.sleep(0.02 * number)


def test_a_kill_between_two_moves_is_ended_by_who_comes_next(run, command, history, monkeypatch):
    """The narrowest moment, made wide: some files are moved, the others not yet."""
    from evalsi.training import staging

    real, moved = staging.Path.replace, []

    def replace(path, target):
        if staging._FOLDER in path.parts and path.suffix in {".json", ".npz"}:
            moved.append(path)
            if len(moved) == 3:
                raise KeyboardInterrupt
        return real(path, target)

    monkeypatch.setattr(staging.Path, "replace", replace)
    found = command("rescore", body=NEW)
    assert (found.exit_code, len(moved)) == (130, 3)
    assert staging.is_staged(history.folder)
    monkeypatch.undo()

    reader = threading.Thread(target=lambda: read.append(means(history)))
    read = []
    reader.start()
    reader.join()

    assert read == [{"base": 1.0, 1: 1.0, 2: 1.0}]
    assert not staging.is_staged(history.folder)
