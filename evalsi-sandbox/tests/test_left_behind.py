"""A jail leaves nothing: not after close, and not after its owner was killed with -9."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evalsi.core.sandbox import Command, JailSpec, Limits, Outcome, Rung
from evalsi_sandbox import lease
from evalsi_sandbox.namespaced import NamespacedRung

if TYPE_CHECKING:
    from conftest import Pen

HANG = """
import sys
from evalsi.core.engine import current_engine
from evalsi.core.sandbox import Command, JailSpec, Limits
from evalsi_sandbox.{module} import {rung}

if __name__ == "__main__":
    jail = {rung}(current_engine()).open(JailSpec(files={{"a": b"b"}}))
    print("open", flush=True)
    source = "import os, time; os.fork() or os.setsid(); os.fork(); time.sleep(100)"
    jail.run(Command(("{{python}}", "-c", source)), Limits(wall_s=100))
"""
RUNGS = [
    pytest.param("process", "ProcessRung", id="process"),
    pytest.param("confined", "ConfinedRung", id="confined"),
    pytest.param("namespaced", "NamespacedRung", id="namespaced"),
]


def mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()


@pytest.fixture
def private_tmp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder of the test's own, in which every file would be ours."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    lease.remove_tree(folder)


def leases(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.parent.name.startswith("evalsi-")]


def test_close_removes_files_and_mounts(
    rung: Rung, run: Callable[..., Outcome], private_tmp: Path
) -> None:
    before = mounts()

    run(rung, "open('made', 'w').close()", jail=JailSpec(files={"x": b"y"}))

    assert leases(private_tmp) == []
    assert mounts() == before


def test_close_ends_a_command_that_runs(rung: Rung) -> None:
    jail = rung.open(JailSpec())
    threading.Timer(0.3, jail.close).start()

    outcome = jail.run(Command(("{python}", "-c", "import time; time.sleep(30)")), Limits())

    assert outcome.ended == "killed"


@pytest.mark.parametrize(("module", "rung"), RUNGS)
def test_nothing_lives_on_when_the_owner_is_killed(pen: Pen, module: str, rung: str) -> None:
    before = mounts()
    with pen.start(HANG.format(module=module, rung=rung)) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"open\n"
        owner.send_signal(signal.SIGKILL)

    assert pen.processes() == []
    assert mounts() == before


@pytest.mark.parametrize(("module", "rung"), RUNGS)
def test_the_next_opener_sweeps_what_a_killed_owner_left(
    pen: Pen, private_tmp: Path, module: str, rung: str
) -> None:
    with pen.start(HANG.format(module=module, rung=rung)) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"open\n"
        owner.send_signal(signal.SIGKILL)
    assert pen.processes() == []
    assert len(leases(private_tmp)) == 1

    pen.run(
        "from evalsi.core.engine import current_engine\n"
        "from evalsi.core.sandbox import JailSpec\n"
        "from evalsi_sandbox.process import ProcessRung\n"
        "if __name__ == '__main__': ProcessRung(current_engine()).open(JailSpec()).close()"
    )

    assert leases(private_tmp) == []
    assert pen.groups() == []


def test_a_living_owner_is_not_swept(namespaced: NamespacedRung) -> None:
    with closing(namespaced.open(JailSpec(files={"a": b"print('here')"}))) as first:
        with closing(namespaced.open(JailSpec())):
            pass
        outcome = first.run(Command(("{python}", "/box/a")), Limits())

    assert outcome.stdout == b"here\n"
