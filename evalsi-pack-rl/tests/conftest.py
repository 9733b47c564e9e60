"""A fork of Python without a jail, for tests that are not about the jail; and the fakes' path."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from evalsi.core.evaluator import Tools
from evalsi.core.sandbox import Limits, Outcome, Program, encoded, whole

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

# A busy machine is no failure; what must not take long is measured in CPU time.
settings.register_profile("evalsi-pack-rl", deadline=None)
settings.load_profile("evalsi-pack-rl")
sys.path.insert(0, str(Path(__file__).parent / "fakes"))

BASE: str = getattr(sys, "_base_executable", sys.executable)


class BareFork:
    """Runs every case as a plain process under a CPU limit and a clock."""

    rung = "bare"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.loads = 0

    def load(self, program: Program) -> BareProgram:
        self.loads += 1
        box = self._folder / f"box{self.loads}"
        box.mkdir()
        for name, data in program.jail.files.items():
            (box / name).write_bytes(data)
        (box / "main.py").write_bytes(encoded(whole(program)))
        return BareProgram(box / "main.py", program.jail.env)


class BareProgram:
    enforced: Mapping[str, str] = {}

    def __init__(self, path: Path, env: Mapping[str, str]) -> None:
        self._path = path
        self._env = dict(env)
        self._running: subprocess.Popen[bytes] | None = None

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        *,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,
    ) -> Outcome:
        cpu_s = max(1, round(limits.cpu_s))
        started = time.perf_counter()
        with subprocess.Popen(
            [BASE, "-I", "-X", "utf8", str(self._path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._path.parent,
            env=self._env,
            close_fds=False,
            preexec_fn=lambda: _enter(cpu_s, wire),  # noqa: PLW1509
        ) as process:
            self._running = process
            try:
                out, err = process.communicate(stdin, limits.wall_s)
                ended = _ended(process.returncode)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                ended = "wall"
        status = process.returncode
        wall_s = time.perf_counter() - started
        if len(out) > limits.output_bytes:
            ended, out = "output", out[: limits.output_bytes]
        return Outcome(ended, abs(status), out, err, wall_s)  # type: ignore[arg-type]

    def kill(self) -> None:
        if self._running is not None:
            self._running.kill()

    def close(self) -> None:
        pass


def _enter(cpu_s: int, wire: socket.socket | None) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    if wire is not None:
        os.dup2(wire.fileno(), 3)
        os.set_inheritable(3, True)  # where it was 3 already
    os.closerange(4 if wire is not None else 3, 256)


def _ended(status: int) -> str:
    if status == -signal.SIGXCPU:
        return "cpu"
    return "signalled" if status < 0 else "exited"


class BareSandbox:
    def __init__(self, fork: BareFork) -> None:
        self._fork = fork

    def python(self) -> BareFork:
        return self._fork

    def remaining_s(self) -> float | None:
        return None


@pytest.fixture
def bare_fork(tmp_path: Path) -> BareFork:
    return BareFork(tmp_path)


@pytest.fixture
def bare_tools(bare_fork: BareFork) -> Tools:
    return Tools(sandbox=BareSandbox(bare_fork))
