"""The line to a holder, with garbage on it: an end in time, by `HolderLost` and nothing else.

`EVALSI_FUZZ_EXAMPLES` says how many examples each test takes.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import socket
import struct
import sys
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalsi.core.sandbox import Limits, Program
from evalsi_sandbox.capture import Used
from evalsi_sandbox.namespaced import holder as holder_module
from evalsi_sandbox.namespaced.fork_jail import ForkJail
from evalsi_sandbox.namespaced.forks import JailForks
from evalsi_sandbox.namespaced.holder import Holder, HolderLost

EXAMPLES = int(os.environ.get("EVALSI_FUZZ_EXAMPLES", "40"))
LIMITS = Limits(wall_s=0.3, output_bytes=5000)
REQUEST = marshal.dumps({"wall_s": 1.0})
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

floats = st.floats(allow_nan=True, allow_infinity=True)
whole = st.integers(-(2**63), 2**63 - 1)
heads = st.builds(
    lambda head, status, *used: (
        struct.pack("=BBdd", *head) + struct.pack("=i5q104x", status, *used)
    ),
    st.tuples(st.integers(0, 255), st.integers(0, 255), floats, floats),
    st.integers(-(2**31), 2**31 - 1) | st.sampled_from([0, 9, 256, 0x7F, 0x13F]),
    *[whole | st.integers(0, 1000)] * 5,
)
answers = st.one_of(
    st.binary(max_size=200),
    heads,
    st.builds(bytes.__add__, heads, st.binary(max_size=300)),
)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holder_module, "_SPARE_S", 0.5)


def _case(holder: Holder) -> tuple[object, Used, float, bytes, bytes]:
    with contextlib.closing(holder.send(REQUEST, [], LIMITS)) as printed:
        return holder.outcome(printed, LIMITS)


@given(answer=answers, closed=st.booleans())
@FUZZ
def test_whatever_a_holder_answers_is_an_outcome_or_its_loss(answer: bytes, closed: bool) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(answer)
        if closed:
            theirs.shutdown(socket.SHUT_WR)
        begun = time.monotonic()
        holder = Holder(ours)
        try:
            _, used, wall_s, out, err = _case(holder)
        except HolderLost:
            pass
        else:
            assert max(len(out), len(err)) <= LIMITS.output_bytes
            assert (wall_s, used.cpu_s) == (wall_s, used.cpu_s)  # no NaN
        finally:
            holder.close()
        assert time.monotonic() - begun < 4


def test_a_holder_that_breaks_says_why(jail: ForkJail) -> None:
    jail.take()
    holder = jail._holder
    assert holder is not None
    holder.load(b"no setup")
    with pytest.raises(HolderLost, match="the holder ended: b'ValueError: bad marshal data"):
        _case(holder)


def test_a_holder_that_never_reads_is_lost_in_time() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        holder = Holder(ours)
        begun = time.monotonic()
        with pytest.raises(HolderLost):
            holder.load(bytes(50_000_000))
        holder.close()

    assert time.monotonic() - begun < 8


def test_a_holder_that_drips_is_lost_in_time() -> None:
    import threading

    ours, theirs = socket.socketpair()
    done = threading.Event()

    def drip() -> None:
        with contextlib.suppress(OSError):
            while not done.wait(0.05):
                theirs.send(b"r")

    thread = threading.Thread(target=drip)
    thread.start()
    holder = Holder(ours)
    begun = time.monotonic()
    with pytest.raises(HolderLost):
        _case(holder)
    done.set()
    thread.join()
    holder.close()
    theirs.close()

    assert time.monotonic() - begun < 4


@pytest.fixture
def jail(forks: JailForks) -> Iterator[ForkJail]:
    made = forks._make()
    yield made
    made.close()


def _wire(jail: ForkJail) -> socket.socket:
    assert jail._holder is not None
    return jail._holder._wire


def _frame(data: bytes) -> bytes:
    return len(data).to_bytes(4, sys.byteorder) + data


frames = st.one_of(
    st.binary(max_size=300),
    st.binary(max_size=300).map(_frame),
    st.recursive(
        st.none() | st.integers() | st.binary() | st.text() | st.floats(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
        max_leaves=9,
    ).map(
        lambda value: len(marshal.dumps(value)).to_bytes(4, sys.byteorder) + marshal.dumps(value)
    ),
)


@given(data=frames, fds=st.integers(0, 3), loaded=st.booleans())
@FUZZ
def test_garbage_to_a_holder_costs_that_holder_alone(
    jail: ForkJail, data: bytes, fds: int, loaded: bool
) -> None:
    jail.take()
    if loaded:
        jail.load(Program("print(input())"))
    wire = _wire(jail)
    null = os.open("/dev/null", os.O_RDWR)
    socket.send_fds(wire, [data or b"x"], [null] * fds)
    os.close(null)
    wire.shutdown(socket.SHUT_WR)
    wire.settimeout(10)
    with contextlib.suppress(ConnectionResetError):
        while wire.recv(4096):
            pass

    jail.take()
    jail.load(Program("print(input())"))
    assert jail.case(b"x\n", Limits(), None).stdout == b"x\n"


@given(words=st.lists(st.binary(min_size=1, max_size=50), min_size=1, max_size=3))
@settings(FUZZ, max_examples=max(3, EXAMPLES // 20))
def test_garbage_to_a_zygote_ends_its_jail(forks: JailForks, words: list[bytes]) -> None:
    made = forks._make()
    try:
        with contextlib.suppress(OSError):
            for word in words:
                made._shell.control.send(word)
        with contextlib.suppress(HolderLost):
            made.take()
            made.load(Program(""))
            made.case(b"", Limits(wall_s=1.0), None)
    finally:
        made.close()

    with contextlib.closing(forks.load(Program("print(1)"))) as loaded:
        assert loaded.case(b"", Limits()).stdout == b"1\n"
