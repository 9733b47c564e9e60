"""The system call filter: what it refuses, on every processor, and inside a real jail."""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Callable

import pytest

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import Outcome
from evalsi_sandbox.namespaced import NamespacedRung, seccomp

ALLOW, ERRNO, KILL = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
EPERM, ENOSYS, EAFNOSUPPORT = ERRNO | 1, ERRNO | 38, ERRNO | 97
X86_64, AARCH64 = 0xC000_003E, 0xC000_00B7
MACHINES = pytest.mark.parametrize("name", ["x86_64", "aarch64"])


def decide(program: bytes, arch: int, number: int, argument: int = 0, second: int = 0) -> int:
    """Runs a classic BPF program as the kernel would."""
    data = struct.pack("=IIQ6Q", number, arch, 0, argument, second, 0, 0, 0, 0)
    lines = list(struct.iter_unpack("=HBBI", program))
    held, at = 0, 0
    while True:
        code, if_true, if_false, value = lines[at]
        at += 1
        if code == 0x20:
            (held,) = struct.unpack_from("=I", data, value)
        elif code == 0x06:
            return int(value)
        else:
            tests = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}
            at += if_true if tests[code] else if_false


@pytest.fixture
def machine(name: str, monkeypatch: pytest.MonkeyPatch) -> seccomp.Machine:
    monkeypatch.setattr(platform, "machine", lambda: name)
    return seccomp.machine()


@MACHINES
def test_every_listed_call_is_refused(machine: seccomp.Machine) -> None:
    program = seccomp.program(machine)

    answers = {decide(program, machine.audit, call) for call in machine.refused.values()}

    assert answers == {EPERM}


@MACHINES
def test_an_ordinary_call_is_allowed(machine: seccomp.Machine) -> None:
    program = seccomp.program(machine)
    listed = {*machine.refused.values(), machine.clone3}

    ordinary = {decide(program, machine.audit, n) for n in range(451) if n not in listed}

    assert ordinary == {ALLOW, EAFNOSUPPORT}  # socket, asked for family 0


@MACHINES
@pytest.mark.parametrize(
    ("flags", "answer"),
    [(0x11, ALLOW), (0x003D_0F00, ALLOW), (0x1000_0011, EPERM), (0x4000_0000, EPERM)],
    ids=["fork", "thread", "user namespace", "network namespace"],
)
def test_clone_may_not_make_namespaces(machine: seccomp.Machine, flags: int, answer: int) -> None:
    assert decide(seccomp.program(machine), machine.audit, machine.clone, flags) == answer


@MACHINES
def test_clone3_is_absent_so_that_callers_use_clone(machine: seccomp.Machine) -> None:
    assert decide(seccomp.program(machine), machine.audit, machine.clone3) == ENOSYS


@MACHINES
@pytest.mark.parametrize(
    ("family", "answer"),
    [(1, ALLOW), (2, ALLOW), (10, ALLOW), (16, ALLOW), (17, EAFNOSUPPORT), (40, EAFNOSUPPORT)],
    ids=["unix", "inet", "inet6", "netlink", "packet", "vsock"],
)
def test_only_common_sockets_are_made(machine: seccomp.Machine, family: int, answer: int) -> None:
    assert decide(seccomp.program(machine), machine.audit, machine.socket, family) == answer


@MACHINES
def test_the_first_process_is_out_of_reach_and_others_are_not(machine: seccomp.Machine) -> None:
    program = seccomp.program(machine)

    first = {decide(program, machine.audit, n, 1) for n in machine.by_number.values()}
    own = {decide(program, machine.audit, n, 7) for n in machine.by_number.values()}
    first_by_kind = {decide(program, machine.audit, n, 0, 1) for n in machine.by_kind}
    everybody = {decide(program, machine.audit, n, kind, 0) for n, kind in machine.by_kind.items()}
    own_by_kind = {decide(program, machine.audit, n, 1, 7) for n in machine.by_kind}

    assert first | first_by_kind | everybody == {EPERM}
    assert own | own_by_kind == {ALLOW}


@pytest.mark.parametrize(
    ("name", "arch"), [("x86_64", AARCH64), ("x86_64", 0x4000_0003), ("aarch64", X86_64)]
)
def test_another_processors_calls_kill(machine: seccomp.Machine, arch: int) -> None:
    assert decide(seccomp.program(machine), arch, 1) == KILL


@pytest.mark.parametrize("name", ["x86_64"])
def test_the_x32_convention_is_refused(machine: seccomp.Machine) -> None:
    assert decide(seccomp.program(machine), machine.audit, 0x4000_0000 | 101) == ENOSYS


def test_an_unknown_processor_has_no_filter_and_so_no_jail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")

    with pytest.raises(SandboxUnavailable, match="riscv64: namespaced knows x86_64, aarch64"):
        seccomp.machine()


def test_a_jail_refuses_every_listed_call(
    namespaced: NamespacedRung, run: Callable[..., Outcome]
) -> None:
    numbers = seccomp.machine().refused
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nallowed = []\n"
        f"for name, number in {numbers!r}.items():\n"
        "    if libc.syscall(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:\n"
        "        allowed.append(name)\nprint(allowed)"
    )

    assert run(namespaced, source).stdout == b"[]\n"


def test_a_jail_has_no_vsock(namespaced: NamespacedRung, run: Callable[..., Outcome]) -> None:
    source = "import socket\ntry: socket.socket(40)\nexcept OSError as error: print(error.errno)"

    assert int(run(namespaced, source).stdout) == errno.EAFNOSUPPORT
