"""Rungs to test, a group that holds a test's bombs, and a short way to run Python in a jail."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evalsi.core.engine import close_engine, current_engine
from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import Command, JailSpec, Launcher, Limits, Outcome, PythonFork, Rung
from evalsi_sandbox.namespaced import NamespacedRung
from evalsi_sandbox.namespaced.forks import JailForks
from evalsi_sandbox.namespaced.nsjail import Nsjail
from evalsi_sandbox.process import ProcessRung

Run = Callable[..., Outcome]


@pytest.fixture(scope="session")
def launcher() -> Iterator[Launcher]:
    yield current_engine()
    close_engine()


def _require_nsjail() -> None:
    try:
        Nsjail().executable()
    except SandboxUnavailable as error:
        if os.environ.get("CI") == "true" and sys.version_info >= (3, 12):
            pytest.fail(f"nsjail belongs to this run: {error}")
        pytest.skip(str(error))


@pytest.fixture(params=["bubblewrap", "nsjail"])
def tool(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    if name == "nsjail":
        _require_nsjail()
    monkeypatch.setenv("EVALSI_NAMESPACED_LAUNCHER", name)
    return name


@pytest.fixture
def namespaced(launcher: Launcher, tool: str) -> Iterator[NamespacedRung]:
    with closing(NamespacedRung(launcher)) as rung:
        yield rung


@pytest.fixture(scope="module", params=["bubblewrap", "nsjail"])
def forks(request: pytest.FixtureRequest, launcher: Launcher) -> Iterator[JailForks]:
    """The fast path of each tool; the module's own pool."""
    if request.param == "nsjail":
        _require_nsjail()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALSI_NAMESPACED_LAUNCHER", request.param)
        rung = NamespacedRung(launcher)
        found = rung.ability(PythonFork)  # type: ignore[type-abstract]
        assert isinstance(found, JailForks)
        yield found
        rung.close()


@pytest.fixture
def process(launcher: Launcher) -> ProcessRung:
    return ProcessRung(launcher)


@pytest.fixture(params=["process", "bubblewrap", "nsjail"])
def rung(
    request: pytest.FixtureRequest, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Rung]:
    if request.param == "process":
        yield ProcessRung(launcher)
        return
    if request.param == "nsjail":
        _require_nsjail()
    monkeypatch.setenv("EVALSI_NAMESPACED_LAUNCHER", request.param)
    with closing(NamespacedRung(launcher)) as made:
        yield made


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs a Python text in a fresh jail."""

    def run_it(
        rung: Rung,
        source: str,
        stdin: bytes = b"",
        limits: Limits | None = None,
        jail: JailSpec | None = None,
    ) -> Outcome:
        with closing(rung.open(jail or JailSpec())) as opened:
            return opened.run(Command(("{python}", "-c", source), stdin), limits or Limits())

    return run_it


class Pen:
    """Runs a script in a pids and memory group of its own, so that a mistake costs a test."""

    def __init__(self, name: str) -> None:
        self.folders = [Path("/sys/fs/cgroup") / kind / name for kind in ("pids", "memory")]
        for folder in self.folders:
            folder.mkdir()
        (self.folders[0] / "pids.max").write_text("300")
        (self.folders[1] / "memory.limit_in_bytes").write_text(str(1536 << 20))

    def start(self, script: str, **environment: str) -> subprocess.Popen[bytes]:
        enter = "".join(f"echo $$ > {folder}/cgroup.procs; " for folder in self.folders)
        argv = ["/bin/sh", "-c", f'{enter}exec "$@"', "sh", sys.executable, "-c", script]
        path = os.pathsep.join(part for part in sys.path if part)
        environment = {**os.environ, "PYTHONPATH": path, **environment}
        return subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE)

    def run(self, script: str, patience_s: float = 120.0, **environment: str) -> str:
        with self.start(script, **environment) as process:
            assert process.stdout is not None
            said = process.stdout.read().decode()
            assert process.wait(patience_s) == 0
        return said

    def processes(self) -> list[str]:
        """Who is in the group or below it; waits a moment for those that are being killed."""
        for _ in range(200):
            found = [
                pid
                for procs in self.folders[0].rglob("cgroup.procs")
                for pid in procs.read_text().split()
            ]
            if not found:
                return []
            time.sleep(0.01)
        return found

    def groups(self) -> list[Path]:
        """The groups that jails have made below it."""
        return [path for folder in self.folders for path in folder.iterdir() if path.is_dir()]

    def close(self) -> None:
        for pid in self.processes():
            os.kill(int(pid), 9)
        self.processes()
        for folder in (*self.groups(), *self.folders):
            folder.rmdir()


@pytest.fixture
def pen() -> Iterator[Pen]:
    try:
        held = Pen(f"evalsi-test-{secrets.token_hex(4)}")
    except OSError as error:
        pytest.skip(f"bombs need a cgroup v1 of their own, as root: {error}")
    yield held
    held.close()
