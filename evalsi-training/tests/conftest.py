"""The fakes' folder is on the path."""

import sys
from pathlib import Path

import pytest

for _folder in ("fakes", "with_lightning", "with_serving", "with_transformers", "with_verl"):
    sys.path.insert(0, str(Path(__file__).parent / _folder))


@pytest.fixture
def server():
    from model_server import ModelServer

    with ModelServer() as made:
        yield made


@pytest.fixture
def named():
    """A serving strategy: the server knows a checkpoint by its folder's name."""
    from training_fakes import Named

    return Named


@pytest.fixture
def checkpoint():
    """Writes a whole checkpoint of a step into a folder."""

    def write(folder, step):
        place = folder / f"checkpoint-{step}"
        place.mkdir(parents=True)
        (place / "config.json").write_text("{}")
        (place / "model.safetensors").write_bytes(b"weights of %d" % step)
        return place

    return write


@pytest.fixture
def command(tmp_path, server):
    """Runs a command on checkpoints over `spec.json`, in this process."""
    from click.testing import CliRunner
    from training_kit import spec

    from evalsi.core.cli.root import root

    def run(name, *words, body=None):
        path = spec(tmp_path / "spec.json", **(body or {}))
        shared = ["-f", path, "--training-run", "run", "--log-dir", tmp_path / "logs"]
        serve = ["--serve", "named", "--base-url", server.base_url]
        further = serve if name in ("eval", "watch") else []
        arguments = ["checkpoints", name, *words, *shared, *further]
        return CliRunner().invoke(root, [str(word) for word in arguments])

    return run
