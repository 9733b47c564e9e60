"""Places in stores, and what tests put there."""

import json
import socket

import fsspec

from evalsi.training.sources.fsspec import Remote

MODEL = {"config.json": b"{}", "model.safetensors": b"weights", "tokenizer.json": b"{}"}


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class S3:
    """A server of S3 in this process, which can be stopped and started; it keeps its objects."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._server = None
        self.start()
        fsspec.filesystem(
            "s3", endpoint_url=self.url, key="of-a-test", secret="of-a-test"
        ).makedirs("bucket")

    def start(self):
        from moto.server import ThreadedMotoServer

        self._server = ThreadedMotoServer("127.0.0.1", self.port, verbose=False)
        self._server.start()

    def stop(self):
        self._server.stop()


class Place:
    """A location above checkpoints."""

    def __init__(self, url):
        self.url = url
        # Not the one of the source, which would learn of every change at once.
        self.store, self.path = fsspec.core.url_to_fs(url, skip_instance_cache=True)

    def put(self, name, data=b"x"):
        """Writes one file."""
        path = f"{self.path}/{name}"
        self.store.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.store.pipe_file(path, data)

    def model(self, folder, files=MODEL):
        """Writes a checkpoint."""
        for name, data in files.items():
            self.put(f"{folder}/{name}", data)

    def remove(self, name):
        self.store.rm(f"{self.path}/{name}", recursive=True)

    def source(self, settle=0.0, **options):
        """A source of its own, as a process would have it."""
        return Remote(self.url, settle=settle, **options)


class Registry:
    """A registered model, and versions of it as a training run would log them."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder
        from mlflow import MlflowClient

        self.client = MlflowClient()
        self.client.create_registered_model(name)

    def version(self, step=None, files=MODEL):
        run = self.client.create_run("0").info
        folder = self.folder / run.run_id
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self.client.log_artifacts(run.run_id, str(folder), "checkpoint")
        tags = {} if step is None else {"step": str(step)}
        source = f"{run.artifact_uri}/checkpoint"
        made = self.client.create_model_version(self.name, source, run.run_id, tags=tags)
        return made.version

    @property
    def location(self):
        return f"mlflow:{self.name}"

    def scan(self, done=frozenset()):
        from evalsi.training.sources.mlflow import RegisteredModel

        found = RegisteredModel(self.location).scan(done)
        return [(one.step, one.location) for one in found]


def steps(source, done=frozenset()):
    return [found.step for found in source.scan(done)]


def index(*shards):
    return json.dumps(
        {"weight_map": {f"layer.{n}": name for n, name in enumerate(shards)}}
    ).encode()
