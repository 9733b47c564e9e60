"""A pack named `training-fakes`: an evaluator, so that no other is needed, and a strategy."""

import contextlib
import json
from pathlib import Path

from pydantic import BaseModel

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__distribution__ = "training-fakes"


class RightParams(BaseModel, frozen=True, extra="forbid"):
    also: str = ""


class Right:
    """1 when the output is the reference, or what is right also."""

    Params = RightParams
    reads = ("output", "reference")
    needs = frozenset()
    bounded = True
    metrics = {"right": "higher"}  # noqa: RUF012 - as pack authors write it

    def __init__(self, params, tools):
        self.also = params.also

    def score(self, record):
        return record.output in {record.reference, self.also} - {""}


class Wrong(Right):
    """1 when it is not: better the lower."""

    metrics = {"wrong": "lower"}  # noqa: RUF012 - as pack authors write it

    def score(self, record):
        return not super().score(record)


class Named:
    """A strategy: a server that knows a checkpoint by its folder's name."""

    def __init__(self, base_url, model=None):
        self.base_url = base_url

    @contextlib.contextmanager
    def serve(self, checkpoint, name):
        from evalsi.training import Served

        yield Served(self.base_url, Path(checkpoint).name)


class Acme:
    """A source: one checkpoint, by the location's last word."""

    def __init__(self, location, *, marker=None):
        self.location = location
        self.marker = marker

    def scan(self, done):
        from evalsi.training.sources import Found

        step = int(self.location.rpartition(":")[2].strip("/"))
        return [] if step in done else [Found(step, f"checkpoint-{step}")]


@hookimpl
def evalsi_register_checkpoint_sources():
    return [Plugin("acme", "training_fakes:Acme", "A stranger's source.")]


class Noted:
    """A tracker: a file with a line a message."""

    def __init__(self, path):
        self.destination = f"noted {path}"
        self._path = Path(path)

    def publish(self, messages):
        for message in messages:
            with self._path.open("a") as file:
                file.write(json.dumps({"at": message.at, "row": message.row()}) + "\n")
            yield message

    def close(self):
        pass


@hookimpl
def evalsi_register_trackers():
    return [Plugin("noted", "training_fakes:Noted", "A file with a line a message.")]


@hookimpl
def evalsi_register_serving_strategies():
    return [Plugin("named", "training_fakes:Named", "A server that knows folders' names.")]


@hookimpl
def evalsi_register_evaluators():
    return [
        Plugin("right", "training_fakes:Right", "Whether the output is the reference."),
        Plugin("wrong", "training_fakes:Wrong", "Whether the output is not the reference."),
    ]
