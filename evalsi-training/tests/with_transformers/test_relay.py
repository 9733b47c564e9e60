"""Results relayed to what a transformers trainer reports to."""

import pytest
import wandb
from saving import trained
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray
from tracker_kit import BASE, SAME, Leaves, evaluated
from wandb_file import axes, rows

from evalsi.training.callback import evalsi_callback


def points(folder):
    found = []
    for place in folder.rglob("evalsi"):
        for inner in place.iterdir():
            held = EventAccumulator(str(inner), size_guidance={"tensors": 0}).Reload()
            found += held.Tensors("evalsi/right")
    return [(event.step, round(make_ndarray(event.tensor_proto).item(), 6)) for event in found]


def test_every_result_is_charted_when_training_returns(tmp_path):
    callback = evalsi_callback(Leaves(tmp_path / "logs"))

    trained(tmp_path / "out", callback, steps=6, report_to=["tensorboard"])

    assert points(tmp_path / "out") == [(0, 0.95), (2, 0.95), (4, 0.5), (6, 0.95)]


def test_wandb_has_one_writer_and_two_axes(tmp_path, monkeypatch):
    for name, value in {"MODE": "offline", "DIR": str(tmp_path), "SILENT": "true"}.items():
        monkeypatch.setenv(f"WANDB_{name}", value)
    callback = evalsi_callback(Leaves(tmp_path / "logs"))

    trained(tmp_path / "out", callback, steps=6, report_to=["wandb"], logging_steps=1)
    wandb.teardown()

    assert len(list(tmp_path.rglob("*.wandb"))) == 1
    charted = [(int(r["evalsi/step"]), float(r["evalsi/right"])) for r in rows(tmp_path)]
    assert charted == [(0, 0.95), (2, 0.95), (4, 0.5), (6, 0.95)]
    assert axes(tmp_path)["evalsi/right"] == "evalsi/step"
    assert axes(tmp_path)["*"] == "train/global_step"


def test_results_of_a_watcher_are_relayed_and_a_second_training_sends_none_again(tmp_path):
    outbox = evaluated(tmp_path / "logs", {"base": BASE, 2: SAME})
    for _ in range(2):
        callback = evalsi_callback(None, outbox=outbox)
        trained(tmp_path / "out", callback, steps=2, report_to=["tensorboard"])

    assert points(tmp_path / "out") == [(0, 0.95), (2, 0.95)]


@pytest.mark.parametrize("words", [{"relay": False}, {}])
def test_nothing_is_relayed_that_nobody_asked_for(tmp_path, words):
    callback = evalsi_callback(Leaves(tmp_path / "logs"), **words)

    trained(tmp_path / "out", callback, steps=2, report_to=["tensorboard"] if words else [])

    assert not list((tmp_path / "out").rglob("evalsi"))
