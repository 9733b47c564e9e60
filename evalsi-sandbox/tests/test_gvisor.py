"""The rung `gvisor`: what it promises, and what its guest relays."""

from __future__ import annotations

import shutil
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import (
    Command,
    JailSpec,
    Launcher,
    Limits,
    Outcome,
    Program,
    PythonFork,
    Unusable,
    Usable,
)
from evalsi.core.testing.rung import rung_checks
from evalsi_sandbox.gvisor import GvisorRung
from evalsi_sandbox.namespaced import NamespacedRung

if TYPE_CHECKING:
    from conftest import Pen

PYTHON_FORK: type[PythonFork] = PythonFork  # type: ignore[type-abstract]
CHECKS = {check.name: check for check in rung_checks()}
GAPS = {"no-privileges": "gVisor's /proc does not tell no_new_privs; prctl does, see below"}
CHUNK = b"0123456789abcdef" * 4096

needs_runsc = pytest.mark.skipif(shutil.which("runsc") is None, reason="runsc is not installed")


@pytest.fixture(scope="module")
def verdict(launcher: Launcher) -> Usable | Unusable:
    with closing(NamespacedRung(launcher)) as below:
        refused = below.probe()
    if isinstance(refused, Unusable):
        pytest.skip(f"gVisor needs the namespaces that are refused here: {refused.reason}")
    return GvisorRung(launcher).probe()


@pytest.fixture(scope="module")
def gvisor(launcher: Launcher, verdict: Usable | Unusable) -> GvisorRung:
    if isinstance(verdict, Unusable):
        pytest.skip(verdict.reason)
    return GvisorRung(launcher)


@needs_runsc
def test_a_canary_finds_it_usable(verdict: Usable | Unusable) -> None:
    assert isinstance(verdict, Usable), verdict
    assert "kvm" not in verdict.detail


@needs_runsc
@pytest.mark.parametrize("name", [name for name in CHECKS if name not in GAPS])
def test_it_keeps_the_promise(gvisor: GvisorRung, name: str) -> None:
    CHECKS[name].run(gvisor)


@needs_runsc
def test_a_program_has_no_capability_and_gains_none(
    gvisor: GvisorRung, run: Callable[..., Outcome]
) -> None:
    source = (
        "import ctypes\n"
        "lines = open('/proc/self/status').read().splitlines()\n"
        "print({l.split(':\\t')[1] for l in lines if l.startswith('Cap')})\n"
        "print(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))"
    )

    assert run(gvisor, source).stdout == b"{'0000000000000000'}\n1\n"


SABOTAGE = {
    "kills everybody": "import os; os.kill(-1, 9); os._exit(9)",
    "kills the guest": "import os\ntry: os.kill(1, 9)\nexcept PermissionError: os._exit(9)",
    "closes everything": "import os; os.closerange(0, 4096); os._exit(9)",
    "opens the guest's descriptors": "import os; os.open('/proc/1/fd/1', os.O_RDWR)",
    "opens the guest's memory": "open('/proc/1/mem', 'wb')",
    "speaks like the guest": "import os; os.write(1, b'd' + bytes(4)); os._exit(9)",
}


@needs_runsc
@pytest.mark.parametrize("source", SABOTAGE.values(), ids=SABOTAGE)
def test_a_program_cannot_make_itself_an_outage(
    gvisor: GvisorRung, run: Callable[..., Outcome], source: str
) -> None:
    outcome = run(gvisor, source, limits=Limits(wall_s=10))

    assert outcome.ended in {"exited", "signalled"}
    assert outcome.status != 0


@needs_runsc
def test_much_passes_over_the_wire_both_ways_beside_much_output(gvisor: GvisorRung) -> None:
    source = (
        "import os, socket\nwire = socket.socket(fileno=3)\nheld = b''\n"
        "while part := wire.recv(65536):\n    held += part\n    os.write(1, part)\n"
        "wire.sendall(held)"
    )
    ours, theirs = socket.socketpair()
    heard = bytearray()

    def talk() -> None:
        for _ in range(32):
            ours.sendall(CHUNK)
        ours.shutdown(socket.SHUT_WR)
        while len(heard) < 32 * len(CHUNK):
            heard.extend(ours.recv(65536))

    with ours, theirs, closing(gvisor.open(JailSpec())) as jail:
        thread = threading.Thread(target=talk)
        thread.start()
        outcome = jail.run(Command(("{python}", "-c", source), wire=theirs), Limits(wall_s=30))
        thread.join()

    assert outcome.clean, outcome.stderr
    assert bytes(heard) == outcome.stdout == 32 * CHUNK


@needs_runsc
def test_a_wire_that_nobody_reads_ends_at_the_wall_limit(gvisor: GvisorRung) -> None:
    source = "import socket\nwire = socket.socket(fileno=3)\nwhile True: wire.sendall(b'x' * 65536)"
    ours, theirs = socket.socketpair()
    with ours, theirs, closing(gvisor.open(JailSpec())) as jail:
        command = Command(("{python}", "-c", source), wire=theirs)
        outcome = jail.run(command, Limits(wall_s=2, cpu_s=60))

    assert outcome.ended == "wall"


@needs_runsc
def test_a_case_after_a_case_finds_the_guest_well(gvisor: GvisorRung) -> None:
    source = "import os, time\nif os.fork() == 0: time.sleep(60)\nprint(input())"
    with closing(gvisor.open(JailSpec())) as jail:
        said = [
            jail.run(Command(("{python}", "-c", source), b"%d" % n), Limits()).stdout
            for n in range(5)
        ]

    assert said == [b"%d\n" % n for n in range(5)]


@needs_runsc
def test_it_forks_python_by_one_sandbox_a_case(gvisor: GvisorRung) -> None:
    fork = gvisor.ability(PYTHON_FORK)
    assert fork is not None

    loaded = fork.load(Program("print(int(input()) + 1)"))

    assert fork.rung == "gvisor"
    assert loaded.case(b"41", Limits()).stdout == b"42\n"
    loaded.close()


HANG = """
from evalsi.core.engine import current_engine
from evalsi.core.sandbox import Command, JailSpec, Limits
from evalsi_sandbox.gvisor import GvisorRung

if __name__ == "__main__":
    jail = GvisorRung(current_engine()).open(JailSpec(files={"a": b"b"}))
    print("open", flush=True)
    jail.run(Command(("{python}", "-c", "import time; time.sleep(100)")), Limits(wall_s=100))
"""


@needs_runsc
def test_nothing_lives_on_when_the_owner_is_killed(pen: Pen) -> None:
    before = Path("/proc/self/mountinfo").read_text()
    with pen.start(HANG) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"open\n"
        time.sleep(0.3)
        owner.kill()

    assert pen.processes() == []
    assert Path("/proc/self/mountinfo").read_text() == before
    pen.run("from evalsi_sandbox import cgroup; cgroup.sweep()")
    assert pen.groups() == []


def test_without_runsc_it_says_how_to_get_it(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    verdict = GvisorRung(launcher).probe()

    assert isinstance(verdict, Unusable)
    assert verdict.reason == "runsc is not installed"
    assert "apt-get install runsc" in verdict.mend


def test_a_runsc_that_fails_is_unavailable_in_its_own_words(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "runsc"
    fake.write_text("#!/bin/sh\necho 'out of sorts' >&2; exit 3\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    with pytest.raises(SandboxUnavailable, match="runsc on ptrace did not start: out of sorts"):
        GvisorRung(launcher).open(JailSpec())


def test_elsewhere_than_on_linux_it_says_so(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    verdict = GvisorRung(launcher).probe()

    assert isinstance(verdict, Unusable)
    assert "this is darwin" in verdict.reason
