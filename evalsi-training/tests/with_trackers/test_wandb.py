"""W&B offline: the file that it would upload, read back."""

import pytest
import wandb
from tracker_kit import BASE, FELL, SAME, evaluated
from training_kit import put
from wandb_file import axes, rows

from evalsi.core import SpecError
from evalsi.training.history import History
from evalsi.training.trackers import Delivery, Wandb
from evalsi.training.trackers.testing import TrackerTrial, check_tracker
from evalsi.training.trackers.wandb import _settings


@pytest.fixture(autouse=True)
def offline(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    yield monkeypatch
    wandb.teardown()  # the next test's folder is another


@pytest.fixture
def joining(offline):
    """A run can be joined; what would be uploaded stays on the disk."""
    settings = wandb.Settings(mode="offline", reinit="create_new")
    offline.setattr("evalsi.training.trackers.wandb._settings", lambda: settings)
    offline.delenv("WANDB_MODE")


def steps(folder):
    wandb.teardown()
    return [int(row["evalsi/step"]) for row in rows(folder)]


def test_rows_go_to_the_run_that_this_process_writes_beside_its_own(tmp_path):
    run = wandb.init(project="p", id="train1")
    run.define_metric("train/global_step")
    run.define_metric("*", step_metric="train/global_step", step_sync=True)  # as transformers does
    outbox = evaluated(tmp_path / "logs", {"base": BASE, 300: FELL})
    sending = Delivery(outbox, Wandb())
    run.log({"loss": 1.0, "train/global_step": 1})
    sending.look()
    run.log({"loss": 0.5, "train/global_step": 2})
    evaluated(tmp_path / "logs", {200: SAME})
    assert sending.finish()
    run.finish()
    wandb.teardown()

    found = rows(tmp_path)
    assert [(int(row["evalsi/step"]), float(row["evalsi/right"])) for row in found] == [
        (0, 0.95),
        (300, 0.5),
        (200, 0.95),
    ]
    defined = axes(tmp_path)
    assert defined["evalsi/right"] == defined["evalsi/*"] == "evalsi/step"
    assert defined["*"] == "train/global_step"


def test_a_name_with_a_dot_has_its_axis_too(tmp_path, joining):
    put(History(tmp_path / "logs", "run"), 1, {"math-equiv.pass@8": SAME})

    assert Delivery(evaluated(tmp_path / "logs", {}, gates=()), Wandb("p/train1")).finish()
    wandb.teardown()

    assert float(rows(tmp_path)[0]["evalsi/math-equiv.pass@8"]) == 0.95
    assert axes(tmp_path)[r"evalsi/math-equiv\.pass@8"] == "evalsi/step"


def test_a_run_of_another_process_is_named_and_gets_what_is_new(tmp_path, joining):
    outbox = evaluated(tmp_path / "logs", {"base": BASE, 1: FELL})
    assert Delivery(outbox, Wandb("team/p/train1")).finish()
    Delivery(outbox, Wandb("p/train1")).look()

    assert steps(tmp_path) == [0, 1]


def test_it_keeps_every_promise(tmp_path, joining):
    def held():
        wandb.teardown()  # its file is whole a moment after `finish`, and surely behind this
        return [
            (int(row["evalsi/step"]), float(row["evalsi/trial"]))
            for row in rows(tmp_path)
            if "evalsi/trial" in row
        ]

    assert check_tracker(TrackerTrial(lambda: Wandb("p/trial"), held)) == []


def test_what_is_relayed_is_not_published_again(tmp_path, joining):
    outbox = evaluated(tmp_path / "logs", {"base": BASE})
    run = wandb.init(project="p", id="train1", mode="offline")
    Delivery(outbox, Wandb()).look()
    run.finish()

    Delivery(outbox, Wandb("p/train1")).look()

    assert steps(tmp_path) == [0]


def test_a_place_that_cannot_be_reached_is_told_and_nothing_is_confirmed(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "online")
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
    monkeypatch.setenv("WANDB_INIT_TIMEOUT", "5")
    outbox, told = evaluated(tmp_path / "logs", {"base": BASE}), []

    sending = Delivery(outbox, Wandb("p/train1"), told.append)
    sending.look()

    assert sending.confirmed == 0
    assert "wandb run p/train1 did not take" in told[0]


def test_a_further_writer_is_not_the_primary_one_and_ends_nothing(monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "online")

    made = _settings()

    assert made.mode == "shared"
    assert (made.x_primary, made.x_label, made.x_update_finish_state) == (False, "evalsi", False)


@pytest.mark.parametrize("mode", ["offline", "disabled"])
def test_a_run_of_another_process_is_joined_online_alone(monkeypatch, mode):
    monkeypatch.setenv("WANDB_MODE", mode)

    with pytest.raises(SpecError, match="sync that run first"):
        Wandb("p/train1")


@pytest.mark.parametrize("text", ["train1", "a/b/c/d", "p/"])
def test_a_text_that_names_no_run_is_refused(joining, text):
    with pytest.raises(SpecError, match="PROJECT/ID"):
        Wandb(text)


def test_without_a_run_it_says_what_to_give():
    with pytest.raises(SpecError, match="run=PROJECT/ID"):
        Wandb()
