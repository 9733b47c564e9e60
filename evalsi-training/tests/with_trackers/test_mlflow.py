"""A real MLflow server: late steps, an outage, a kill between acceptance and receipt."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import mlflow
import pytest
from mlflow_server import MlflowServer
from tracker_kit import BASE, FELL, SAME, evaluated

from evalsi.core import SpecError
from evalsi.training.trackers import Delivery, MLflow
from evalsi.training.trackers.testing import TrackerTrial, check_tracker

FAKES = str(Path(__file__).parents[1] / "fakes")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with MlflowServer(tmp_path_factory.mktemp("mlflow")) as made:
        yield made


@pytest.fixture
def client(service, monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", service.url)
    mlflow.set_tracking_uri(service.url)
    return mlflow.MlflowClient(service.url)


@pytest.fixture
def run_id(client):
    return client.create_run("0").info.run_id


def points(client, run_id, name="evalsi/right"):
    return [(m.step, m.value) for m in client.get_metric_history(run_id, name)]


def delivery(outbox, run_id, told=None):
    return Delivery(
        outbox,
        MLflow(run_id),
        (lambda _: None) if told is None else told.append,
        sleep=lambda _: None,
    )


def test_it_keeps_every_promise(client, service, run_id):
    def held():
        return points(client, run_id, "evalsi/trial")

    def unreachable():
        return MLflow(run_id, tracking_uri="http://127.0.0.1:9")

    assert check_tracker(TrackerTrial(lambda: MLflow(run_id), held, unreachable)) == []


def test_late_steps_keep_their_place_in_a_run_that_has_finished(tmp_path, client, run_id):
    outbox = evaluated(tmp_path, {"base": BASE, 300: FELL})
    delivery(outbox, run_id).look()
    client.set_terminated(run_id)
    evaluated(tmp_path, {200: SAME})

    assert delivery(outbox, run_id).finish()

    assert points(client, run_id) == [(0, 0.95), (300, 0.5), (200, 0.95)]
    assert points(client, run_id, "evalsi/status") == [(0, 0.0), (300, 4.0), (200, 1.0)]
    assert client.get_run(run_id).info.status == "FINISHED"


def test_an_outage_loses_nothing_and_sends_nothing_twice(tmp_path, client, service, run_id):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    told = []
    sending = delivery(outbox, run_id, told)
    sending.look()
    service.stop()
    evaluated(tmp_path, {2: SAME, 3: FELL})
    sending.look()

    service.start()
    assert sending.finish()
    delivery(outbox, run_id).look()

    assert points(client, run_id) == [(0, 0.95), (1, 0.95), (2, 0.95), (3, 0.5)]
    assert len(told) == 1
    assert "did not take step 2" in told[0]


KILLED = """
import os, signal, sys
from evalsi.training.trackers import Delivery, MLflow, Outbox
from evalsi.training.trackers.receipts import Receipts

confirm, told = Receipts.confirm, []

def dies(self, message):
    told.append(message)
    if len(told) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    confirm(self, message)

Receipts.confirm = dies
Delivery(Outbox(sys.argv[1]), MLflow(sys.argv[2])).look()
"""


def test_a_kill_before_the_receipt_sends_nothing_twice(tmp_path, client, run_id):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME, 2: FELL})
    command = [sys.executable, "-c", KILLED, str(outbox.folder.parent), run_id]
    killed = subprocess.run(command, env={**os.environ, "PYTHONPATH": FAKES}, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert points(client, run_id) == [(0, 0.95), (1, 0.95)]

    assert delivery(outbox, run_id).finish()

    assert points(client, run_id) == [(0, 0.95), (1, 0.95), (2, 0.5)]


def test_a_changed_step_is_marked(tmp_path, client, run_id):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    delivery(outbox, run_id).look()
    evaluated(tmp_path, {1: FELL})
    delivery(outbox, run_id).look()

    assert points(client, run_id) == [(0, 0.95), (1, 0.95), (1, 0.5)]
    assert points(client, run_id, "evalsi/revision") == [(1, 1.0)]


def test_names_that_mlflow_refuses_have_others_there(tmp_path, client, run_id):
    from training_kit import put

    from evalsi.training.history import History

    columns = {"math-equiv.pass@8": SAME, "refusal[harmful]": SAME, "right@mini": SAME}
    put(History(tmp_path, "run"), 1, columns)
    delivery(evaluated(tmp_path, {}, gates=()), run_id).look()

    known = sorted(client.get_run(run_id).data.metrics)
    assert known == [
        "evalsi/math-equiv.pass:8",
        "evalsi/refusal:harmful",
        "evalsi/right:mini",
        "evalsi/status",
    ]


def test_the_registered_version_of_a_step_is_tagged(tmp_path, client, run_id):
    client.create_registered_model("tagged")
    place = client.get_run(run_id).info.artifact_uri
    for step in (1, 2):
        tags = {"step": str(step)}
        client.create_model_version("tagged", f"{place}/{step}", run_id=run_id, tags=tags)
    outbox = evaluated(tmp_path, {"base": BASE, 2: FELL})

    Delivery(outbox, MLflow(run_id, model="tagged")).look()

    tags = [client.get_model_version("tagged", v).tags for v in ("1", "2")]
    assert tags == [{"step": "1"}, {"step": "2", "evalsi.status": "regressed"}]


def test_by_default_it_is_the_run_that_is_active_here(client):
    with mlflow.start_run() as run:
        tracker = MLflow()

    assert tracker.destination == f"mlflow run {run.info.run_id}"


def test_without_a_run_it_says_what_to_give(client):
    with pytest.raises(SpecError, match="run_id="):
        MLflow()


def test_a_password_of_its_address_is_not_told(tmp_path, client, run_id):
    told = []
    tracker = MLflow(run_id, tracking_uri="http://me:secret@127.0.0.1:9")

    Delivery(evaluated(tmp_path, {"base": BASE}), tracker, told.append).look()

    assert "127.0.0.1" in told[0]
    assert "secret" not in told[0] + tracker.destination


def test_published_by_hand(tmp_path, client, service, run_id):
    evaluated(tmp_path, {"base": BASE, 1: FELL})
    command = [
        *(str(Path(sys.executable).with_name("evalsi")), "checkpoints", "publish"),
        *("--training-run", "run", "--log-dir", str(tmp_path)),
        *("--tracker", "mlflow", "--tracker-arg", f"run_id={run_id}"),
    ]
    said = [
        subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stderr
        for _ in range(2)
    ]

    assert ["2 messages" in said[0], "0 messages" in said[1]] == [True, True], said
    assert points(client, run_id) == [(0, 0.95), (1, 0.5)]
