"""hf:// by the real client, against a hub that is played here and then against its own cache."""

import json
import os
import subprocess
import sys
import threading

import pytest
from played_hub import PlayedHub, commit
from stores_kit import MODEL

SCAN = """
import json, sys
from evalsi.training.sources import source_at
options = json.loads(sys.argv[2])
for one in source_at(sys.argv[1], **options).scan(frozenset()):
    print(json.dumps([one.step, one.location]))
"""
FETCH = """
import sys
from pathlib import Path
from evalsi.training.sources import Cache, fetched
with fetched(sys.argv[1], Cache(sys.argv[2])) as folder:
    print(folder)
    for path in sorted(Path(folder).iterdir()):
        print(path.name, path.read_bytes().decode())
"""
SNAPSHOT = """
import sys
from huggingface_hub import snapshot_download
snapshot_download(sys.argv[1], revision=sys.argv[2])
"""
LISTED = [f"{name} {data.decode()}" for name, data in sorted(MODEL.items())]


@pytest.fixture
def hub(tmp_path):
    with PlayedHub() as played:
        played.repos["owner/name"] = {
            "main": {
                "README.md": b"",
                **under("checkpoint-20", MODEL),
                **under("runs/step-5", MODEL),
            },
            "step-100": {**MODEL, "optimizer.pt": b"x"},
            "step1000-tokens4B": MODEL,
            "step-7": {"config.json": b"{}"},
            "experiment": MODEL,
        }
        played.tags["owner/name"] = {"step1000-tokens4B"}
        thread = threading.Thread(target=played.serve_forever, args=(0.05,))
        thread.start()
        yield played
        played.shutdown()
        thread.join()


def under(folder, files):
    return {f"{folder}/{name}": data for name, data in files.items()}


@pytest.fixture
def client(hub, tmp_path):
    """Runs a program with the client in an environment of its own: it reads that at its import."""

    def run(program, *words, offline=False):
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "HF_ENDPOINT": "http://127.0.0.1:9" if offline else hub.url,
            "HF_HOME": str(tmp_path / "hf"),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_OFFLINE": "1" if offline else "0",
        }
        return subprocess.run(
            [sys.executable, "-c", program, *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def found(done):
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


NOW = json.dumps({"settle": 0.0})


def test_branches_tags_and_folders_are_steps(client):
    assert found(client(SCAN, "hf://owner/name", NOW)) == [
        [20, "hf://owner/name/checkpoint-20"],
        [100, "hf://owner/name@step-100"],
        [1000, "hf://owner/name@step1000-tokens4B"],
    ]


def test_a_folder_or_a_revision_holds_folders_alone(client):
    assert found(client(SCAN, "hf://owner/name/runs", NOW)) == [[5, "hf://owner/name/runs/step-5"]]
    at_main = found(client(SCAN, "hf://owner/name@main", NOW))
    assert [step for step, _ in at_main] == [20]


def test_a_folder_that_is_not_there_yet_holds_nothing(client):
    assert found(client(SCAN, "hf://owner/name/later", NOW)) == []


def test_a_repository_that_is_not_there_is_a_source_error(client):
    done = client(SCAN, "hf://owner/other", NOW)

    assert "SourceError: hf://owner/other is not there" in done.stderr


def test_a_hub_that_is_away_is_a_source_error(client, hub):
    hub.url = "http://127.0.0.1:9"

    done = client(SCAN, "hf://owner/name", NOW)

    assert "SourceError: hf://owner/name: " in done.stderr


@pytest.mark.parametrize("location", ["hf://gpt2", "hf://owner/name/../x", "hf:owner/name"])
def test_another_form_is_refused(client, location):
    done = client(SCAN, location, NOW)

    assert "SpecError" in done.stderr
    assert "write hf://owner/name[@revision]" in done.stderr


def test_a_revision_is_downloaded_without_the_trainers_state(client, hub, tmp_path):
    done = client(FETCH, "hf://owner/name@step-100", str(tmp_path / "cache"))

    folder, *files = done.stdout.splitlines()
    assert folder.startswith(str(tmp_path / "cache"))
    assert files == LISTED
    assert "optimizer.pt" not in hub.sent


def test_a_file_that_is_not_what_the_hub_lists_is_refused(client, hub, tmp_path):
    files = hub.repos["owner/name"]["step-100"]
    hub.spoilt = {"model.safetensors": b"WEIGHTS"}

    done = client(FETCH, "hf://owner/name@step-100", str(tmp_path / "cache"))

    assert len(files["model.safetensors"]) == len(b"WEIGHTS")
    assert "model.safetensors did not come with the sha256 that its store tells" in done.stderr
    assert not list((tmp_path / "cache").glob("*/name@step-100"))


@pytest.fixture
def cached(client):
    """The client's own cache, as the client fills it."""
    for revision in ("main", "step-100", "step-7"):
        done = client(SNAPSHOT, "owner/name", revision)
        assert done.returncode == 0, done.stderr


def test_offline_the_clients_cache_is_the_source_and_is_served_in_place(
    client, cached, hub, tmp_path
):
    snapshots = tmp_path / "hf/hub/models--owner--name/snapshots"
    revisions = hub.repos["owner/name"]

    rows = found(client(SCAN, "hf://owner/name", NOW, offline=True))

    assert rows == [
        [20, str(snapshots / commit(revisions["main"]) / "checkpoint-20")],
        [100, str(snapshots / commit(revisions["step-100"]))],
    ]
    assert found(client(SCAN, "hf://owner/name/runs", NOW, offline=True)) == [
        [5, str(snapshots / commit(revisions["main"]) / "runs/step-5")]
    ]


def test_offline_a_checkpoint_lies_in_the_clients_cache(client, cached, hub, tmp_path):
    words = ("hf://owner/name@step-100", str(tmp_path / "cache"))

    folder, *files = client(FETCH, *words, offline=True).stdout.splitlines()

    assert folder.startswith(str(tmp_path / "hf"))
    assert set(LISTED) <= set(files)
    assert not (tmp_path / "cache").exists()


def test_offline_what_the_cache_lacks_is_a_source_error(client, cached, tmp_path):
    for missing in ("hf://owner/name@step-7", "hf://owner/name@step1000-tokens4B"):
        done = client(FETCH, missing, str(tmp_path / "cache"), offline=True)

        assert f"SourceError: {missing} is not whole in the local cache" in done.stderr
