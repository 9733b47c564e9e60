"""Choosing a tool, telling its failures from a program's, and what a jail may do after one."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

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
)
from evalsi_sandbox import cgroup
from evalsi_sandbox.namespaced import NamespacedRung
from evalsi_sandbox.namespaced.shell import Shell
from evalsi_sandbox.namespaced.walls import Built, Walls

PYTHON_FORK: type[PythonFork] = PythonFork  # type: ignore[type-abstract]
SABOTAGE = {
    "kills everybody": "import os; os.kill(-1, 9)",
    "kills the guest": "import os; os.kill(1, 9); os.kill(1, 15); os.kill(1, 2); os._exit(9)",
    "closes everything": "import os; os.closerange(0, 4096); os._exit(9)",
    "writes to the guest's memory": "open('/proc/1/mem', 'wb')",
    "opens the guest's descriptors": "import os; os.open('/proc/1/fd/10', os.O_RDWR)",
    "takes the guest's descriptors": (
        "import ctypes, os; c = ctypes.CDLL(None)\n"
        "os._exit(c.syscall(438, os.pidfd_open(1), 10, 0) != -1 or 9)"
    ),
    "claims to be the tool": "import sys; sys.exit('bwrap: cannot make a namespace')",
    "stops the guest": "import os, signal; os.kill(1, signal.SIGSTOP); os._exit(9)",
}


class FakeTool:
    """A tool that says something and fails before it makes a jail."""

    name = "faketool"
    distribution = "evalsi-no-such"
    mend = "install another"

    def __init__(self, words: str) -> None:
        self._words = words

    def executable(self) -> Path:
        return Path("/bin/sh")

    def build(self, walls: Walls) -> Built:
        return Built(["/bin/sh", "-c", f"echo '{self._words}' >&2; exit 3"])


def test_a_tool_that_fails_is_unavailable_in_its_own_words(launcher: Launcher) -> None:
    with pytest.raises(SandboxUnavailable, match=r"faketool did not start: out of sorts"):
        Shell(launcher, FakeTool("out of sorts"), JailSpec())


def test_a_missing_library_comes_with_the_command_that_installs_it(launcher: Launcher) -> None:
    words = "error while loading shared libraries: libnl-route-3.so.200"

    with pytest.raises(SandboxUnavailable, match="mend: apt-get install libnl-route-3-200"):
        Shell(launcher, FakeTool(words), JailSpec())


def test_an_unknown_tool_is_refused_with_the_known_ones(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALSI_NAMESPACED_LAUNCHER", "chroot")

    assert NamespacedRung(launcher).probe() == Unusable(
        "EVALSI_NAMESPACED_LAUNCHER is 'chroot'; known: bubblewrap, nsjail",
        "unset EVALSI_NAMESPACED_LAUNCHER",
    )


def test_without_a_choice_bubblewrap_is_taken(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EVALSI_NAMESPACED_LAUNCHER", raising=False)
    rung = NamespacedRung(launcher)

    rung.open(JailSpec()).close()

    assert rung.tool == "bubblewrap"


@pytest.mark.parametrize("source", SABOTAGE.values(), ids=SABOTAGE)
def test_a_program_cannot_make_itself_an_outage(
    namespaced: NamespacedRung, run: Callable[..., Outcome], source: str
) -> None:
    outcome = run(namespaced, source, limits=Limits(wall_s=5))

    assert outcome.ended in {"exited", "signalled"}
    assert outcome.status != 0


def test_a_missing_program_exits_with_127(namespaced: NamespacedRung) -> None:
    with closing(namespaced.open(JailSpec())) as jail:
        outcome = jail.run(Command(("/no/such",)), Limits())

    assert (outcome.ended, outcome.status) == ("exited", 127)
    assert outcome.stderr == b"/no/such: No such file or directory\n"


def test_a_jail_that_a_limit_ended_asks_for_another(namespaced: NamespacedRung) -> None:
    with closing(namespaced.open(JailSpec())) as jail:
        command = Command(("{python}", "-c", "import time; time.sleep(9)"))
        jail.run(command, Limits(wall_s=0.2))

        with pytest.raises(SandboxUnavailable, match="open another"):
            jail.run(command, Limits())


def test_a_killed_jail_kills_what_comes_later(namespaced: NamespacedRung) -> None:
    with closing(namespaced.open(JailSpec())) as jail:
        jail.kill()

        outcome = jail.run(Command(("{python}", "-c", "print()")), Limits())

    assert (outcome.ended, outcome.status) == ("killed", signal.SIGKILL)


def test_the_fork_is_named_after_rung_and_tool(namespaced: NamespacedRung, tool: str) -> None:
    fork = namespaced.ability(PYTHON_FORK)

    assert fork is not None
    assert fork.rung == f"namespaced/{tool}"


def test_the_fork_runs_a_program(namespaced: NamespacedRung) -> None:
    fork = namespaced.ability(PYTHON_FORK)
    assert fork is not None

    loaded = fork.load(Program("print(int(input()) + 1)"))

    assert loaded.case(b"41", Limits()).stdout == b"42\n"
    loaded.close()


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", ""])
def test_a_file_cannot_leave_the_box(namespaced: NamespacedRung, name: str) -> None:
    with pytest.raises(ValueError, match="relative to /box"):
        namespaced.open(JailSpec(files={name: b""}))


@pytest.mark.parametrize("path", ["/proc/self/comm", "/etc/hosts", "/etc/passwd"])
def test_what_describes_the_jail_cannot_be_written(
    namespaced: NamespacedRung, run: Callable[..., Outcome], path: str
) -> None:
    outcome = run(namespaced, f"open('{path}', 'w')")

    assert outcome.stderr.splitlines()[-1].startswith((b"OSError", b"PermissionError"))


def test_the_number_of_files_is_bounded(
    namespaced: NamespacedRung, run: Callable[..., Outcome], tool: str
) -> None:
    if tool == "bubblewrap":
        pytest.skip("bubblewrap gives a folder a size, and no number of files")
    source = "import os; print(*(os.statvfs(room).f_files for room in ('/tmp', '/dev/shm')))"

    assert run(namespaced, source).stdout == b"32768 32768\n"


def test_without_a_cgroup_it_says_that_kernel_memory_is_not_held(
    namespaced: NamespacedRung, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "make", lambda _: None)

    with closing(namespaced.open(JailSpec())) as jail:
        assert jail.enforced["kernel memory"].startswith("no")
