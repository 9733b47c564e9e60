"""A pack named `training-fakes`: an evaluator, so that no other is needed, and a strategy."""

import contextlib
from pathlib import Path

from pydantic import BaseModel

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__distribution__ = "training-fakes"


class NoParams(BaseModel, frozen=True, extra="forbid"):
    pass


class Right:
    """1 when the output is the reference."""

    Params = NoParams
    reads = ("output", "reference")
    needs = frozenset()
    bounded = True
    metrics = {"right": "higher"}  # noqa: RUF012 - as pack authors write it

    def __init__(self, params, tools):
        pass

    def score(self, record):
        return record.output == record.reference


class Named:
    """A strategy: a server that knows a checkpoint by its folder's name."""

    def __init__(self, base_url, model=None):
        self.base_url = base_url

    @contextlib.contextmanager
    def serve(self, checkpoint, name):
        from evalsi.training import Served

        yield Served(self.base_url, Path(checkpoint).name)


@hookimpl
def evalsi_register_serving_strategies():
    return [Plugin("named", "training_fakes:Named", "A server that knows folders' names.")]


@hookimpl
def evalsi_register_evaluators():
    return [Plugin("right", "training_fakes:Right", "Whether the output is the reference.")]
