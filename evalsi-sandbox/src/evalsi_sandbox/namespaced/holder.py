"""The opener's side of a jail that forks Python: one program at a time, case after case.

Whatever the other side sends or fails to send is `HolderLost`: every wait has a deadline that the
kernel keeps (`SO_RCVTIMEO`, `SO_SNDTIMEO`), and an answer is checked before it is believed.
"""

from __future__ import annotations

import contextlib
import math
import socket
import struct
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from evalsi.core.sandbox import Ended, Limits
from evalsi_sandbox import capture
from evalsi_sandbox.rlimits import jail_cpu_s

if TYPE_CHECKING:
    pass

__all__ = ["CpuWatch", "Holder", "HolderLost", "lost_on_error", "timeval"]

_ANSWER: Final = struct.Struct("!BBiddQII")
_STOPPED: Final[dict[int, Ended | None]] = {0: None, 1: "wall", 2: "output", 3: "cpu"}
_CPU: Final = 3
_READY: Final = b"ready"
_READY_S: Final = 5.0
_SPARE_S: Final = 5.0  # the holder keeps the wall limit itself; this is for a holder that cannot
_SPARE_MB: Final = 96  # for the zygote, the holder and the tool, which share the cgroup
_SPARE_PROCESSES: Final = 8
_CHUNK: Final = 1 << 16


class HolderLost(Exception):  # noqa: N818 - an event; a fresh jail says what it means
    """The holder, or its jail, is gone or says what it never says."""


class Holder:
    """One end of the line to a holder, which has a program; the other end says whatever it says."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire
        self.sound = True
        self._ready = True
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeval(_SPARE_S))
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval(capture.LOOK_S))

    def load(self, setup: bytes) -> None:
        """Hands over the program, for the holder to make ready meanwhile; raises `HolderLost`."""
        with lost_on_error():
            self._send(setup, [])
            self._ready = False

    def case(
        self, request: bytes, fds: list[int], limits: Limits, watch: CpuWatch | None = None
    ) -> tuple[Ended | None, capture.Used, float, bytes, bytes]:
        """Runs a case; what stopped it, what it used, its seconds, stdout and stderr.

        Args:
            request: limits.
            fds: standard input, and a wire.
            limits: the same for us.
            watch: says when all processes together have used enough.
        """

        def look() -> None:
            if watch is not None and self.sound and watch.is_over(limits):
                self.sound = False  # the word may come late, and would stop the next case
                self._wire.send(b"x")

        with lost_on_error():
            self._send(request, fds)
            self._await_ready()
            data = self._receive(_ANSWER.size, limits.wall_s + _SPARE_S, look=look)
            head, printed = data[: _ANSWER.size], data[_ANSWER.size :]
            stopped, soiled, status, wall_s, cpu_s, peak, *sizes = _ANSWER.unpack(head)
            if max(sizes) > limits.output_bytes or len(printed) > sum(sizes):
                raise HolderLost("an answer of a wrong form")
            if not (math.isfinite(wall_s) and math.isfinite(cpu_s) and abs(status) < 1 << 16):
                raise HolderLost("an answer of a wrong form")
            if len(printed) < sum(sizes):
                printed += self._receive(sum(sizes) - len(printed), _SPARE_S)
            if stopped not in _STOPPED:
                raise HolderLost(f"a case could not be confined: {printed[-200:]!r}")
        self.sound = (self.sound or stopped == _CPU) and not soiled
        used = capture.Used(status, cpu_s, peak)
        return _STOPPED[stopped], used, wall_s, printed[: sizes[0]], printed[sizes[0] :]

    def close(self) -> None:
        """Lets go: the holder ends, and all that it held."""
        self._wire.close()

    def _await_ready(self) -> None:
        if not self._ready:
            answer = self._receive(len(_READY), _READY_S, most=len(_READY))
            if answer != _READY:
                raise HolderLost("the holder could not take the program")
            self._ready = True

    def _send(self, data: bytes, fds: list[int]) -> None:
        """Sends a frame, within the time for each part of it."""
        frame = len(data).to_bytes(4, "big") + data
        sent = socket.send_fds(self._wire, [frame], fds)
        deadline = time.monotonic() + _SPARE_S
        view = memoryview(frame)[sent:]
        while view:
            if time.monotonic() > deadline:
                raise HolderLost("the holder does not read")
            view = view[self._wire.send(view) :]

    def _receive(
        self,
        least: int,
        within_s: float,
        *,
        most: int = _CHUNK,
        look: Callable[[], None] | None = None,
    ) -> bytes:
        """At least so many bytes, within the time."""
        deadline = time.monotonic() + within_s
        data = bytearray()
        while len(data) < least:
            try:
                part = self._wire.recv(max(least - len(data), most))
            except BlockingIOError:  # nothing for a while
                part = None
                if look is not None:
                    look()
            if part == b"":
                raise HolderLost("the holder ended")
            if part is not None and not data and len(part) >= least:
                return part
            data += part or b""
            if len(data) < least and time.monotonic() > deadline:
                raise HolderLost("the holder does not answer in time")
        return bytes(data)


class CpuWatch:
    """Counts what all of a case's processes use together, from the first look on."""

    def __init__(self, count: Callable[[], float | None]) -> None:
        self._count = count
        self._purse: capture.Purse | None = None

    @property
    def spent_s(self) -> float:
        """Seconds used since the first look."""
        return 0.0 if self._purse is None else self._purse.spent_s

    def is_over(self, limits: Limits) -> bool:
        """Whether that is more than the limit."""
        if self._purse is None:
            before = self._count()
            if before is not None:
                self._purse = capture.Purse(self._count, before, jail_cpu_s(limits))
        return self._purse is not None and self._purse.is_empty()


@contextlib.contextmanager
def lost_on_error() -> Iterator[None]:
    """Whatever is wrong with the line is `HolderLost`."""
    try:
        yield
    except (OSError, ValueError, struct.error, EOFError, TypeError) as error:
        raise HolderLost(f"{type(error).__name__}: {error}") from error


def timeval(seconds: float) -> bytes:
    """`struct timeval`."""
    return struct.pack("ll", int(seconds), int(seconds % 1 * 1e6))
