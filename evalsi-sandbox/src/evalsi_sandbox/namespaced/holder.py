"""The opener's side of a jail that forks Python: one program at a time, case after case.

Whatever the other side sends or fails to send is `HolderLost`: every wait has a deadline that the
kernel keeps (`SO_RCVTIMEO`, `SO_SNDTIMEO`), and an answer is checked before it is believed.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from evalsi.core.sandbox import Ended, Limits
from evalsi_sandbox import capture
from evalsi_sandbox.namespaced.answer import ANSWER_SIZE, CONNECTED, STOPPED, Answer, How
from evalsi_sandbox.namespaced.printed import Printed
from evalsi_sandbox.rlimits import jail_cpu_s

__all__ = ["LOST", "CpuWatch", "Holder", "HolderLost", "lost", "lost_on_error", "timeval"]

_SPARE_S: Final = 5.0  # the holder keeps the wall limit itself; this is for a holder that cannot
LOST: Final = (OSError, ValueError, struct.error, EOFError, TypeError)
"""What a line that is broken raises."""
_QUICK_MS: Final = 25  # most cases end within it, and print less than a pipe holds


class HolderLost(Exception):  # noqa: N818 - an event; a fresh jail says what it means
    """The holder, or its jail, is gone or says what it never says."""


class Holder:
    """One end of the line to a holder, which has a program; the other end says whatever it says.

    Attributes:
        over: whether it has ended itself after the last case, and read no further request: where
            that one left something, a signal killed it, or it was told to stop it.
        fresh: whether the next case may be this holder's. It is neither over nor told to be.
        connected: whether the last one left connections in its network.
    """

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire
        self.over = False
        self.fresh = True
        self.connected = False
        self._known = b""
        self._runs = False  # until then it makes its rooms, and compiles the program
        self._answered = select.poll()
        self._answered.register(wire, select.POLLIN)
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeval(_SPARE_S))
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval(capture.LOOK_S))

    def load(self, setup: bytes) -> None:
        """Hands over the program, for the holder to make ready meanwhile; raises `HolderLost`."""
        with lost_on_error():
            self._send(setup, [])

    def send(self, request: bytes, fds: Sequence[int], limits: Limits) -> Printed:
        """Asks for a case, which begins once those before it have ended; raises `HolderLost`.

        Args:
            request: limits.
            fds: standard input, and a wire.
            limits: the same for us.
        """
        try:
            printed = Printed(limits.output_bytes)
        except OSError as error:
            raise lost(error) from error
        try:
            self._send(b"" if request == self._known else request, printed.between(fds))
        except LOST as error:
            printed.close()
            raise lost(error) from error
        printed.begun()
        self._known = request
        return printed

    def outcome(
        self, printed: Printed, limits: Limits, watch: CpuWatch | None = None
    ) -> tuple[Ended | None, capture.Used, float, bytes, bytes]:
        """Waits for the first case that was asked for; raises `HolderLost`.

        Args:
            printed: what `send` gave.
            limits: likewise.
            watch: says when all processes together have used enough.

        Returns:
            What stopped it, what it used, its seconds, stdout and stderr.
        """
        try:
            answer, told = self._answer(printed, limits, watch)
            out, err = printed.rest()
        except LOST as error:
            raise lost(error) from error
        stopped = self._understood(answer, told, err)
        if answer.how is How.EXITED and printed.full:
            stopped = "output"
        return stopped, answer.used, answer.wall_s, out, err

    def _answer(
        self, printed: Printed, limits: Limits, watch: CpuWatch | None
    ) -> tuple[Answer, Ended | None]:
        """A case's end, and what it was told to stop for."""
        case_s = limits.wall_s + _SPARE_S
        told = self._until_answer(printed, limits, watch, case_s if self._runs else _SPARE_S)
        answer = self._received()
        if answer.how is How.RUNNING and not self._runs:
            told = self._until_answer(printed, limits, watch, case_s) or told
            answer = self._received()
        self._runs = True
        return answer, told

    def _received(self) -> Answer:
        answer = Answer.of(self._receive(ANSWER_SIZE, _SPARE_S))
        if answer is None:
            raise HolderLost("an answer of a wrong form")
        return answer

    def _understood(self, answer: Answer, told: Ended | None, err: bytes) -> Ended | None:
        """What stopped a case; the holder is fresh, or is not, from here on."""
        if answer.how is How.RUNNING:
            raise HolderLost("it runs, as it has said already")
        if answer.how is How.UNCONFINED:
            raise HolderLost(f"a case could not be confined: {err[-200:]!r}")
        heard = answer.how is How.TOLD
        if heard and told is None:
            raise HolderLost("it was told nothing")
        killed = answer.how is How.EXITED and answer.used.status < 0
        self.over = bool(answer.left) or killed or heard
        self.fresh = not (self.over or told)
        self.connected = bool(answer.left & CONNECTED)
        return told if heard else STOPPED.get(answer.how)

    def _until_answer(
        self, printed: Printed, limits: Limits, watch: CpuWatch | None, within_s: float
    ) -> Ended | None:
        """Reads what a case prints until the holder answers; what it was told to stop it for."""
        if self._answered.poll(_QUICK_MS):
            return None
        poll = select.poll()
        poll.register(self._wire, select.POLLIN)
        for fd in printed:
            poll.register(fd, select.POLLIN)
        told: Ended | None = None
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            for fd, _ in poll.poll(capture.LOOK_S * 1000):
                if fd == self._wire.fileno():
                    return told
                if not printed.take(fd):
                    poll.unregister(fd)
            if told is None:
                over = watch is not None and watch.is_over(limits)
                told = "output" if printed.full else "cpu" if over else None
                if told is not None:
                    self._wire.shutdown(socket.SHUT_WR)  # whatever was asked for ahead
                    deadline = min(deadline, time.monotonic() + _SPARE_S)
        raise HolderLost("the holder does not answer in time")

    def stop(self) -> None:
        """Ends whatever case is asked for, and the holder, and waits for that.

        Raises:
            HolderLost: it does not end, or leaves without a word of a case that it had begun.
        """
        self.fresh = False
        said = b""
        deadline = time.monotonic() + _SPARE_S
        try:
            self._wire.shutdown(socket.SHUT_WR)
            while part := self._wire_part(deadline):
                said += part
        except OSError:  # it had left before it read all that it was asked for
            return
        answers = _answers(said)
        if not answers or answers[-1].how is How.RUNNING:
            raise HolderLost("a case that was begun ahead has no known end")
        self.connected |= any(answer.left & CONNECTED for answer in answers)

    def _wire_part(self, deadline: float) -> bytes:
        """What comes next, b"" at the end of the line."""
        while time.monotonic() < deadline:
            with contextlib.suppress(BlockingIOError):  # nothing for a while
                return self._wire.recv(ANSWER_SIZE)
        raise HolderLost("a case that was begun ahead does not end")

    def close(self) -> None:
        """Lets go: the holder ends, and all that it held."""
        self._wire.close()

    def _send(self, data: bytes, fds: Sequence[int]) -> None:
        """Sends a frame, within the time for each part of it."""
        frame = len(data).to_bytes(4, sys.byteorder) + data
        handed = struct.pack(f"{len(fds)}i", *fds)
        sent = self._wire.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handed)])
        if sent == len(frame):
            return
        deadline = time.monotonic() + _SPARE_S
        view = memoryview(frame)[sent:]
        while view:
            if time.monotonic() > deadline:
                raise HolderLost("the holder does not read")
            view = view[self._wire.send(view) :]

    def _receive(self, size: int, within_s: float) -> bytes:
        """So many bytes, within the time."""
        data = b""
        deadline = time.monotonic() + within_s
        while len(data) < size:
            with contextlib.suppress(BlockingIOError):  # nothing for a while
                part = self._part(size - len(data))
                if not part:
                    raise HolderLost(f"the holder ended: {data!r}")
                data += part
            if len(data) < size and time.monotonic() > deadline:
                raise HolderLost("the holder does not answer in time")
        return data

    def _part(self, most: int) -> bytes:
        """What is there; b"" where the holder has ended, with or without a request unread."""
        try:
            return self._wire.recv(most)
        except ConnectionResetError:
            return b""


def _answers(said: bytes) -> list[Answer]:
    """All that a holder has said; raises `HolderLost`."""
    with lost_on_error():
        parts = [said[at : at + ANSWER_SIZE] for at in range(0, len(said), ANSWER_SIZE)]
        found = [answer for part in parts if (answer := Answer.of(part)) is not None]
    if len(found) < len(parts):
        raise HolderLost("an answer of a wrong form")
    return found


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


def lost(error: BaseException) -> HolderLost:
    """What is wrong with the line, as the loss of the holder."""
    return HolderLost(f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def lost_on_error() -> Iterator[None]:
    """Whatever is wrong with the line is `HolderLost`."""
    try:
        yield
    except LOST as error:
        raise lost(error) from error


def timeval(seconds: float) -> bytes:
    """`struct timeval`."""
    return struct.pack("ll", int(seconds), int(seconds % 1 * 1e6))
