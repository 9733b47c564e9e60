"""The filter of a confined program, on every processor and for every version of Landlock."""

from __future__ import annotations

import platform
import struct

import pytest

from evalsi.core.errors import SandboxUnavailable
from evalsi_sandbox.confined import calls, landlock
from evalsi_sandbox.confined.numbers import Numbers, numbers

ALLOW, EPERM, ENOSYS = 0x7FFF_0000, 0x0005_0001, 0x0005_0026
NEWEST = 7
MACHINES = pytest.mark.parametrize("name", ["x86_64", "aarch64"])
READ, WRITE, NEITHER, TRUNCATE = 0, 1, 3, 0o1000


def decide(program: bytes, number: int, *arguments: int) -> int:
    """Runs a classic BPF program as the kernel would."""
    data = struct.pack("=IIQ6Q", number, 0, 0, *arguments, *(0,) * (6 - len(arguments)))
    lines = list(struct.iter_unpack("=HBBI", program))
    held, at = 0, 0
    while True:
        code, if_true, if_false, value = lines[at]
        at += 1
        if code == 0x20:
            (held,) = struct.unpack_from("=I", data, value)
        elif code == 0x54:
            held &= value
        elif code == 0x06:
            return int(value)
        else:
            tests = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}
            at += if_true if tests[code] else if_false


@pytest.fixture
def on(name: str, monkeypatch: pytest.MonkeyPatch) -> Numbers:
    monkeypatch.setattr(platform, "machine", lambda: name)
    return numbers()


@MACHINES
def test_what_is_shared_with_the_host_is_refused(on: Numbers) -> None:
    program = calls.program(on, NEWEST, own_user=False)

    assert {decide(program, number) for number in on.shared.values()} == {EPERM}


@MACHINES
def test_only_itself_is_limited_and_slowed(on: Numbers) -> None:
    program = calls.program(on, NEWEST, own_user=False)

    assert {decide(program, number, 0) for number in on.of_others.values()} == {ALLOW}
    assert {decide(program, number, 1) for number in on.of_others.values()} == {EPERM}
    assert decide(program, on.setpriority, 0, 0) == ALLOW
    assert decide(program, on.setpriority, 0, 7) == EPERM
    assert decide(program, on.setpriority, 2, 0) == EPERM


@MACHINES
@pytest.mark.parametrize(("own_user", "answer"), [(True, EPERM), (False, ALLOW)])
def test_metadata_are_the_openers_alone_if_it_shares_the_user(
    on: Numbers, own_user: bool, answer: int
) -> None:
    program = calls.program(on, NEWEST, own_user=own_user)

    assert {decide(program, number) for number in on.metadata.values()} == {answer}


@MACHINES
@pytest.mark.parametrize(
    ("family", "kind", "answer"),
    [
        (1, 1, ALLOW),
        (1, 1 | 0o2004000, ALLOW),
        (1, 5, ALLOW),
        (1, 2, EPERM),
        (2, 1, EPERM),
        (40, 1, EPERM),
    ],
    ids=["stream", "stream with flags", "packets in order", "datagrams", "inet", "vsock"],
)
def test_only_pairs_that_stay_connected_are_made(
    on: Numbers, family: int, kind: int, answer: int
) -> None:
    program = calls.program(on, NEWEST, own_user=False)

    assert decide(program, on.socketpair, family, kind) == answer


@MACHINES
@pytest.mark.parametrize("abi", [1, 2, 3, 4])
def test_before_abi_5_a_file_is_opened_for_something(on: Numbers, abi: int) -> None:
    program = calls.program(on, abi, own_user=False)

    for number, flags in on.open_at.items():
        before = [0] * flags
        assert decide(program, number, *before, NEITHER) == EPERM
        assert decide(program, number, *before, WRITE | TRUNCATE) == ALLOW
        assert decide(program, number, *before, READ) == ALLOW
    assert decide(program, on.openat2) == ENOSYS


@MACHINES
@pytest.mark.parametrize(("abi", "answer"), [(1, EPERM), (2, EPERM), (3, ALLOW), (7, ALLOW)])
def test_before_abi_3_nothing_is_truncated_that_may_not_be_written(
    on: Numbers, abi: int, answer: int
) -> None:
    program = calls.program(on, abi, own_user=False)

    assert decide(program, on.truncate) == answer
    for number, flags in on.open_at.items():
        assert decide(program, number, *[0] * flags, READ | TRUNCATE) == answer


@MACHINES
@pytest.mark.parametrize(("abi", "answer"), [(5, EPERM), (6, ALLOW)])
def test_before_abi_6_nobody_else_is_signalled(on: Numbers, abi: int, answer: int) -> None:
    program = calls.program(on, abi, own_user=False)

    for number in on.kill:
        assert decide(program, number, calls.ITSELF) == ALLOW
        assert decide(program, number, 0) == answer
        assert decide(program, number, 0xFFFF_FFFF) == answer
    assert {decide(program, number) for number in on.signal.values()} == {answer}
    assert decide(program, on.fcntl, 3, 8) == answer
    assert decide(program, on.fcntl, 3, 1) == ALLOW
    assert decide(program, on.ioctl, 3, 0x8901) == answer


def test_an_unknown_processor_has_no_filter_and_so_no_jail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")

    with pytest.raises(SandboxUnavailable, match="riscv64: confined knows x86_64, aarch64"):
        numbers()


@pytest.mark.parametrize(("abi", "size"), [(1, 8), (3, 8), (4, 16), (5, 16), (6, 24), (NEWEST, 24)])
def test_a_kernel_is_asked_for_no_more_than_it_knows(abi: int, size: int) -> None:
    assert len(landlock.attributes(abi)) == size
