"""The conformance kit finds what strategies do wrong."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest
from serving_kit import model, played

from evalsi.training import Endpoint, Served, ServingError
from evalsi.training.testing import ServingTrial, check_serving, serving_checks


class Good:
    """Serves by folder name on a server that runs."""

    def __init__(self, base_url):
        self.base_url = base_url

    @contextlib.contextmanager
    def serve(self, checkpoint, name):
        if not Path(checkpoint).is_dir():
            raise ServingError(f"{checkpoint} is no folder")
        yield Served(self.base_url, Path(checkpoint).name)


class NotReady(Good):
    @contextlib.contextmanager
    def serve(self, checkpoint, name):
        with super().serve(checkpoint, name):
            yield Served(self.base_url, "not yet")


class Stale(Good):
    @contextlib.contextmanager
    def serve(self, checkpoint, name):
        with super().serve(checkpoint, name):
            yield Served(self.base_url, "a")


class Swallows(Good):
    @contextlib.contextmanager
    def serve(self, checkpoint, name):
        with super().serve(checkpoint, name) as served, contextlib.suppress(Exception):
            yield served


class Wrong(Good):
    @contextlib.contextmanager
    def serve(self, checkpoint, name):
        if not Path(checkpoint).is_dir():
            raise FileNotFoundError(checkpoint)
        with super().serve(checkpoint, name) as served:
            yield served


class Leaves(Good):
    left = ()

    @contextlib.contextmanager
    def serve(self, checkpoint, name):
        with super().serve(checkpoint, name) as served:
            self.left = (
                *self.left,
                subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE),
            )
            yield served


@pytest.fixture
def folders(tmp_path, server):
    server.knows = {"a": {"q"}, "b": set()}
    for name in "ab":
        (tmp_path / name).mkdir()
    return [str(tmp_path / name) for name in "ab"]


def found(strategy, folders):
    return [finding.check for finding in check_serving(ServingTrial(strategy, *folders, "q"))]


MISSING = ["what-is-missing-is-a-serving-error", "a-state-dictionary-is-a-serving-error"]


@pytest.mark.parametrize(
    ("kind", "checks"),
    [
        (Good, []),
        (Stale, ["each-checkpoint-answers-for-itself"]),
        (Swallows, ["what-is-raised-in-the-block-comes-out"]),
        (Wrong, MISSING),
    ],
)
def test_each_fault_is_found(server, folders, kind, checks):
    assert found(kind(server.base_url), folders) == checks


def test_a_strategy_that_is_not_ready_fails_every_check_that_asks(server, folders):
    checks = [check.name for check in serving_checks() if check.name not in MISSING]

    assert found(NotReady(server.base_url), folders) == checks


def test_a_process_that_is_left_is_found(server, folders):
    strategy = Leaves(server.base_url)

    checks = found(strategy, folders)
    for process in strategy.left:
        process.communicate(b"\n")

    assert checks == ["no-process-is-left"]


def test_an_endpoint_keeps_what_it_can_promise(server, folders):
    server.knows = {folder: server.knows[Path(folder).name] for folder in folders}
    trial = ServingTrial(Endpoint(server.base_url), *folders, "q")
    gaps = dict.fromkeys(MISSING, "it takes every name: the server knows which there are")

    assert check_serving(trial, gaps) == []


def test_vllm_keeps_every_promise(tmp_path):
    trial = ServingTrial(
        played("good"), str(model(tmp_path / "a", "A")), str(model(tmp_path / "b", "B"))
    )

    assert check_serving(trial) == []
