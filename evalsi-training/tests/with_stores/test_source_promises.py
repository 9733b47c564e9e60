"""Our sources keep what every source promises."""

import itertools

from stores_kit import Place, Registry

from evalsi.training.sources.fsspec import Remote
from evalsi.training.sources.mlflow import RegisteredModel
from evalsi.training.testing import SourceTrial, check_source


def test_a_bucket_keeps_every_promise(s3):
    count = itertools.count()

    class InBucket:
        def __init__(self):
            self.place = Place(f"{s3.url}/{next(count)}")

        def source(self):
            return self.place.source()

        def put(self, step, files):
            self.place.model(f"checkpoint-{step}", files)

    assert check_source(SourceTrial(InBucket, away=Remote("s3://no-such-bucket/run"))) == []


def test_a_registry_keeps_every_promise_but_one(registry, monkeypatch, tmp_path):
    count = itertools.count()

    class InRegistry:
        def __init__(self):
            self.model = Registry(f"{registry.name}-{next(count)}", tmp_path)

        def source(self):
            return RegisteredModel(self.model.location)

        def put(self, step, files):
            self.model.version(step, files)

    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
        away = RegisteredModel("mlflow:any")
    gaps = {"a-state-of-the-trainer-is-none": "what is registered and READY is a checkpoint"}

    assert check_source(SourceTrial(InRegistry, away), gaps) == []
