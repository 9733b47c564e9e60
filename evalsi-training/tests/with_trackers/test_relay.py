"""What a trainer reports to, found in its own process."""

import mlflow
import pytest
import wandb
from tracker_kit import BASE, FELL, evaluated
from wandb_file import rows

from evalsi.training.trackers import Relay
from evalsi.training.trackers.relaying import reported_to


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Runs of MLflow and W&B that are active here, as a trainer's callbacks begin them."""
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/store.db")
    with mlflow.start_run() as run:
        wandb.init(project="p", id="train1")
        yield run.info.run_id
    wandb.teardown()


def test_each_gets_every_result_though_its_run_ends_first(tmp_path, runs):
    outbox = evaluated(tmp_path / "logs", {"base": BASE})
    names = ["mlflow", "wandb", "tensorboard"]
    results = Relay(outbox, reported_to(names, str(tmp_path / "out")), beside=True)
    results.look()
    evaluated(tmp_path / "logs", {1: FELL})
    mlflow.end_run()
    results.close()
    wandb.finish()
    wandb.teardown()

    held = mlflow.MlflowClient().get_metric_history(runs, "evalsi/right")
    assert [(point.step, point.value) for point in held] == [(0, 0.95), (1, 0.5)]
    assert [int(row["evalsi/step"]) for row in rows(tmp_path)] == [0, 1]
    assert len(list((tmp_path / "out" / "runs" / "evalsi").rglob("events.*"))) == 1


def test_a_run_that_nobody_began_is_told(tmp_path, caplog):
    assert reported_to(["wandb"], str(tmp_path)) == []
    assert "this process writes no W&B run" in caplog.text
