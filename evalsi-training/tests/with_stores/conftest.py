"""Sources of checkpoints against real stores on loopback: `nox -s stores`."""

import sys
import uuid
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDS = ("fsspec", "gcsfs", "gcp_storage_emulator", "huggingface_hub", "mlflow", "moto", "s3fs")

collect_ignore = (
    [] if all(map(find_spec, NEEDS)) else [path.name for path in HERE.glob("test_*.py")]
)

sys.path.insert(0, str(HERE))


def pytest_collection_modifyitems(items):
    """What the libraries warn of is theirs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def s3_server():
    from stores_kit import S3

    server = S3()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def gs_server():
    from gcp_storage_emulator.server import create_server

    server = create_server("127.0.0.1", 0, in_memory=True, default_bucket="bucket")
    server.start()
    yield f"http://127.0.0.1:{server._api._httpd.server_port}"
    server.stop()


@pytest.fixture
def s3(s3_server, tmp_path, monkeypatch):
    """A place in a bucket of S3."""
    from stores_kit import Place

    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_server.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-a-test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-a-test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    return Place(f"s3://bucket/{tmp_path.name}")


@pytest.fixture
def gs(gs_server, tmp_path, monkeypatch):
    """A place in a bucket of Google's kind."""
    from stores_kit import Place

    monkeypatch.setenv("STORAGE_EMULATOR_HOST", gs_server)
    # It asks whether a bucket has real folders by a protocol that the emulator does not speak.
    monkeypatch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
    return Place(f"gs://bucket/{tmp_path.name}")


@pytest.fixture
def memory(tmp_path):
    """A place in fsspec's own memory."""
    from stores_kit import Place

    place = Place(f"memory://bucket/{tmp_path.name}")
    place.store.makedirs("/bucket", exist_ok=True)
    return place


@pytest.fixture
def file(tmp_path):
    """A place on this machine, by its URL."""
    from stores_kit import Place

    (tmp_path / "store").mkdir()
    return Place(f"file://{tmp_path}/store/run")


@pytest.fixture(params=["s3", "gs", "memory", "file"])
def place(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def mlflow_server(tmp_path_factory):
    """A real server, up in half a minute."""
    from mlflow_server import MlflowServer

    with MlflowServer(tmp_path_factory.mktemp("mlflow")) as server:
        yield server


@pytest.fixture
def registry(mlflow_server, monkeypatch, tmp_path):
    """A registered model without versions."""
    from stores_kit import Registry

    monkeypatch.setenv("MLFLOW_TRACKING_URI", mlflow_server.url)
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    return Registry(f"model-{uuid.uuid4().hex[:8]}", tmp_path)
