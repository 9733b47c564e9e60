"""The rung `confined`: what it hides and refuses, as root without powers and as nobody."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
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
    Usable,
)
from evalsi.core.testing.checks import CheckFailed
from evalsi.core.testing.rung import rung_checks
from evalsi_sandbox.confined import ConfinedRung, landlock
from evalsi_sandbox.interpreter import Interpreter, open_to_all

PYTHON_FORK: type[PythonFork] = PythonFork  # type: ignore[type-abstract]
SYSTEM_PYTHON = Path("/usr/bin/python3")
CHECKS = {check.name: check for check in rung_checks()}
GAPS = {
    "honest-programs": "a pool needs semaphores in /dev/shm, which the host shares",
    "tmp-size-limit": "a folder has no size; a file and the memory group have",
    "host-files-hidden": "Landlock hides contents, not names",
    "host-processes-hidden": "the list of processes is refused, not made shorter",
}


class Strict(ConfinedRung):
    """Asked for all that a namespaced jail promises."""

    level = 2


@pytest.fixture(params=["opener", "nobody"])
def confined(
    request: pytest.FixtureRequest, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> Strict:
    """As whoever opens it, and as nobody with an interpreter that everybody may read."""
    try:
        landlock.abi()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    if request.param == "nobody":
        if os.geteuid() != 0 or not SYSTEM_PYTHON.exists():
            pytest.skip("root alone becomes nobody, and needs a Python that nobody may read")
        monkeypatch.setattr(sys, "_base_executable", str(SYSTEM_PYTHON.resolve()))
        monkeypatch.setattr(sys, "base_prefix", "/usr")
    return Strict(launcher)


@pytest.fixture
def secret() -> Iterator[Path]:
    """A file that everybody may read and write, so that nothing but the jail refuses it."""
    with tempfile.NamedTemporaryFile(dir="/tmp") as file:
        file.write(b"secret")
        file.flush()
        os.fchmod(file.fileno(), 0o666)
        yield Path(file.name)


@pytest.mark.parametrize("name", [name for name in CHECKS if name not in GAPS])
def test_it_keeps_the_promise(confined: Strict, name: str) -> None:
    CHECKS[name].run(confined)


@pytest.mark.parametrize("name", GAPS)
def test_a_known_gap_is_one(confined: Strict, name: str) -> None:
    with pytest.raises(CheckFailed):
        CHECKS[name].run(confined)


def test_a_canary_finds_it_usable(confined: Strict) -> None:
    verdict = confined.probe()

    assert isinstance(verdict, Usable), verdict
    assert "Landlock ABI" in verdict.detail


def test_opened_by_root_it_is_nobody_where_nobody_can_read_the_interpreter(
    confined: Strict, run: Callable[..., Outcome]
) -> None:
    readable = open_to_all(Interpreter.ours().prefix)

    said = run(confined, "import os; print(*os.getresuid(), *os.getgroups())").stdout

    own = os.getuid()
    user = 65534 if own == 0 and readable else own
    assert said.split()[:3] == [str(user).encode()] * 3


REFUSED = {
    "read a file": "open(PATH).read()",
    "write to a file": "open(PATH, 'w')",
    "append to a file": "open(PATH, 'a')",
    "truncate a file": "os.truncate(PATH, 0)",
    "truncate while opening to read": "os.open(PATH, os.O_RDONLY | os.O_TRUNC)",
    "remove a file": "os.unlink(PATH)",
    "rename a file": "os.rename(PATH, 'mine')",
    "link to a file": "os.link(PATH, 'mine')",
    "read by a symbolic link": "os.symlink(PATH, 'l'); open('l').read()",
    "read by its own root": "open('/proc/self/root' + PATH).read()",
    "read by a path descriptor": (
        "d = os.open(PATH, os.O_PATH); open(f'/proc/self/fd/{d}').read()"
    ),
    "list the temporary folder": "os.listdir('/tmp')",
    "list a home": "os.listdir('/root'); os.listdir('/home')",
    "read accounts": "open('/etc/passwd').read()",
    "write to shared memory": "open('/dev/shm/x', 'w')",
    "list shared memory": "os.listdir('/dev/shm')",
    "list processes": "os.listdir('/proc')",
    "read another process": "open(f'/proc/{os.getppid()}/cmdline').read()",
    "read the first process's environment": "open('/proc/1/environ').read()",
    "set the kernel": "open('/proc/sys/kernel/core_pattern', 'w')",
    "list devices' files": "os.listdir('/sys')",
    "signal its parent": "os.kill(os.getppid(), 0)",
    "signal by descriptor": (
        "import signal; signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 0)"
    ),
    "have its parent signalled": (
        "import fcntl, signal\nr, w = os.pipe()\nfcntl.fcntl(r, 10, 9)\n"
        "fcntl.fcntl(r, fcntl.F_SETOWN, os.getppid())\n"
        "fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC)\nos.write(w, b'x')\n"
        "time.sleep(0.2)\nos.close(os.open('/proc/none', 0))"
    ),
    "limit its parent": "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_CPU)",
    "slow all of its user": "os.setpriority(os.PRIO_USER, 0, 5)",
    "slow another": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)",
    "bind another to a core": "os.sched_setaffinity(os.getppid(), {0})",
    "make an inet socket": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "make an inet6 socket": "socket.socket(socket.AF_INET6)",
    "make a netlink socket": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "make a vsock": "socket.socket(40)",
    "make a unix socket": "socket.socket(socket.AF_UNIX)",
    "make a pair of datagram sockets": "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "connect one of a pair": "socket.socketpair()[0].connect('/tmp/x')",
    "name one of a pair": "socket.socketpair()[0].bind('here')",
    "make a device": "os.mknod('device', 0o20600, os.makedev(1, 3))",
    "become another user": "os.setuid(1)",
    "change its root": "os.chroot('.')",
    "use message queues": "call(240)",
    "use shared memory of System V": "call(29)",
    "use semaphores of System V": "call(64)",
    "watch a folder": "call(254)",
    "trace": "call(101)",
    "use io_uring": "call(425)",
}
TRY = """
import ctypes, os, socket, sys, time
def call(number):
    if ctypes.CDLL(None, use_errno=True).syscall(number, 0, 0, 0, 0) == -1:
        raise OSError(ctypes.get_errno(), "refused")
PATH = sys.argv[1]
try:
    exec(sys.argv[2])
except (OSError, PermissionError) as error:
    print(type(error).__name__, error.errno)
"""


@pytest.mark.parametrize("attempt", REFUSED.values(), ids=REFUSED)
def test_a_program_cannot(confined: Strict, secret: Path, attempt: str) -> None:
    with closing(confined.open(JailSpec())) as jail:
        outcome = jail.run(Command(("{python}", "-c", TRY, str(secret), attempt)), Limits())

    assert outcome.clean, outcome
    assert outcome.stdout != b""
    assert secret.read_bytes() == b"secret"


CHANGES = ["os.chmod(PATH, 0)", "os.utime(PATH)", "os.setxattr(PATH, 'user.a', b'x')"]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_of_the_openers_cannot_be_changed_from_the_side(
    confined: Strict, secret: Path, change: str
) -> None:
    secret.chmod(0o644)
    before = secret.stat()
    with closing(confined.open(JailSpec())) as jail:
        outcome = jail.run(Command(("{python}", "-c", TRY, str(secret), change)), Limits())

    assert outcome.stdout.startswith(b"PermissionError"), outcome
    assert secret.stat() == before


ALLOWED = {
    "folders": "os.makedirs('a/b'); open('a/b/c', 'w').write('x'); os.rename('a/b/c', 'a/d')",
    "links": "open('x', 'w'); os.symlink('x', 'y'); os.link('x', 'z'); open('y').read()",
    "fifo": "os.mkfifo('f')",
    "a program of its own": (
        "import shutil, subprocess\n"
        "open('p', 'wb').write(open('/bin/true', 'rb').read())\n"
        "fd = os.open('q', os.O_CREAT | os.O_WRONLY, 0o755)\n"
        "os.write(fd, open('p', 'rb').read()); os.close(fd)\n"
        "subprocess.run(['./q'], check=True)"
    ),
    "a pair of sockets": ("a, b = socket.socketpair(); a.sendall(b'x'); assert b.recv(1) == b'x'"),
    "asyncio": "import asyncio; asyncio.run(asyncio.sleep(0))",
    "killing a child": (
        "pid = os.fork()\nif pid == 0: time.sleep(60)\nos.kill(pid, 9); os.waitpid(pid, 0)"
    ),
    "its own limits": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))",
    "niceness": "os.nice(1)",
    "affinity": "os.sched_setaffinity(0, os.sched_getaffinity(0))",
    "devices": "open('/dev/null', 'w').write('x'); open('/dev/urandom', 'rb').read(1)",
    "itself": "open('/proc/self/status').read(); os.listdir('/proc/self/fd')",
    "libraries": "import json, sqlite3, ssl, decimal, zoneinfo",
    "duplex pipes": "import multiprocessing as m; a, b = m.Pipe(); a.send(1); b.recv()",
}


@pytest.mark.parametrize("deed", ALLOWED.values(), ids=ALLOWED)
def test_an_honest_program_can(confined: Strict, run: Callable[..., Outcome], deed: str) -> None:
    outcome = run(confined, f"import os, socket, time\n{deed}")

    assert outcome.clean, outcome


def test_a_child_is_confined_as_well(
    confined: Strict, run: Callable[..., Outcome], secret: Path
) -> None:
    source = (
        "import subprocess, sys\n"
        f"argv = [sys.executable, '-c', 'open(input())']\n"
        f"r = subprocess.run(argv, input=b{str(secret)!r}, capture_output=True)\n"
        "print(b'PermissionError' in r.stderr)"
    )

    assert run(confined, source).stdout == b"True\n"


def test_one_jail_cannot_reach_into_another(confined: Strict) -> None:
    """They may run as one user: it is Landlock that keeps their folders and processes apart."""
    begun = threading.Event()
    ended: list[Outcome] = []
    with closing(confined.open(JailSpec())) as first, closing(confined.open(JailSpec())) as second:
        hold = "import os, sys; open('mark', 'w').write(str(os.getpid())); sys.stdin.read()"
        source = f"import time\n{hold}\ntime.sleep(3)"
        command = Command(("{python}", "-c", source))
        thread = threading.Thread(target=lambda: ended.append(first.run(command, Limits())))
        thread.start()
        mark = first._tmp / "mark"
        while not (mark.exists() and mark.read_text()):
            begun.wait(0.01)
        attempts = {
            "file": f"open({str(mark)!r})",
            "signal": f"os.kill({mark.read_text()}, 9)",
            "memory": f"open('/proc/{mark.read_text()}/mem', 'r+b')",
            "limits": f"import resource; resource.prlimit({mark.read_text()}, 0, (1, 1))",
            "everybody": "os.kill(-1, 9); os.kill(1, 9)",  # -1 tells of nobody that was spared
        }
        said = {
            name: second.run(Command(("{python}", "-c", TRY, "", attempt)), Limits()).stdout
            for name, attempt in attempts.items()
        }
        thread.join()

    assert [outcome.status for outcome in ended] == [0]
    assert {words.split()[0] for words in said.values()} == {b"PermissionError"}, said


def test_it_says_what_it_does_not_hold(confined: Strict) -> None:
    with closing(confined.open(JailSpec())) as jail:
        assert jail.enforced["network"].startswith("none")
        assert jail.enforced["tmp size"].startswith("no")
        assert "probed" in jail.enforced["host files"]


def test_a_missing_program_exits_with_127(confined: Strict) -> None:
    with closing(confined.open(JailSpec())) as jail:
        outcome = jail.run(Command(("/no/such",)), Limits())

    assert (outcome.ended, outcome.status) == ("exited", 127)
    assert outcome.stderr == b"/no/such: No such file or directory\n"


def test_a_guest_that_cannot_begin_is_no_outcome(confined: Strict) -> None:
    with (
        closing(confined.open(JailSpec())) as jail,
        pytest.raises(SandboxUnavailable, match="did not begin"),
    ):
        jail.run(Command(("{python}", "-c", "")), Limits(memory_mb=1))


def test_it_forks_python_by_one_jail_a_case(confined: Strict) -> None:
    fork = confined.ability(PYTHON_FORK)
    assert fork is not None

    loaded = fork.load(Program("print(int(input()) + 1)"))

    assert fork.rung == "confined"
    assert loaded.case(b"41", Limits()).stdout == b"42\n"
    loaded.close()


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_an_older_landlock_is_made_up_for(
    confined: Strict, secret: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: version)
    names = ("truncate", "signal", "socket", "pair", "read", "have its parent")
    attempts = [text for name, text in REFUSED.items() if any(word in name for word in names)]
    attempts += ["os.kill(-1, 0)", "os.open('/dev/tty', 3)"]
    with closing(confined.open(JailSpec())) as jail:
        said = [
            jail.run(Command(("{python}", "-c", TRY, str(secret), attempt)), Limits())
            for attempt in attempts
        ]

    assert all(outcome.clean and outcome.stdout for outcome in said), said
    assert secret.read_bytes() == b"secret"


@pytest.mark.parametrize("version", [1, 5])
def test_with_an_older_landlock_a_program_may_still_end_itself(
    confined: Strict,
    run: Callable[..., Outcome],
    monkeypatch: pytest.MonkeyPatch,
    version: int,
) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: version)

    outcome = run(confined, "import os; os.abort()")

    assert (outcome.ended, outcome.status) == ("signalled", 6)


def test_elsewhere_than_on_linux_it_says_so(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    verdict = ConfinedRung(launcher).probe()

    assert isinstance(verdict, Unusable)
    assert "this is darwin" in verdict.reason
    assert "Linux" in verdict.mend
