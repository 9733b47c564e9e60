"""A standing jail with a warmed Python in it, which holds one program at a time."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING, Final

from evalsi.core.sandbox import Limits, Outcome, Program
from evalsi_sandbox import capture, memfile
from evalsi_sandbox.namespaced.asked import Sent, request, setup
from evalsi_sandbox.namespaced.holder import (
    LOST,
    CpuWatch,
    Holder,
    HolderLost,
    lost,
    lost_on_error,
    timeval,
)

if TYPE_CHECKING:
    from io import FileIO

    from evalsi_sandbox.namespaced.shell import Shell

__all__ = ["ForkJail"]

_ANSWER_S: Final = 5.0
_UNREAD_S: Final = 0.01
_SPARE_MB: Final = 96  # for the zygote, the holder and the tool, which share the cgroup
_SPARE_PROCESSES: Final = 8


class ForkJail:
    """A standing jail with a warmed Python in it, which holds one program at a time."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._lock = threading.Lock()
        self._holder: Holder | None = None
        self._setup = b""
        self._ahead: Sent | None = None
        self._connected = False
        self._limited: tuple[int, int] | None = None
        self._asked: tuple[tuple[Limits, bool] | None, bytes] = None, b""
        self._closed = False
        self.programs = 0
        self.base = ""
        self.leased_by: int | None = None  # a thread
        self.sound = True
        self.opened = time.monotonic()
        self.memory = "cgroup" if shell.group is not None else "per-process"
        shell.control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval(_ANSWER_S))
        shell.control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeval(_ANSWER_S))

    def take(self, base: str = "") -> None:
        """Has a fresh holder made; raises `HolderLost`, and no program has a part in that.

        Args:
            base: what this jail's programs have in common from now on, as in `Program`.
        """
        self.unload()
        self.programs += 1
        self.sound = False
        if base != self.base:
            self.base = base
            with memfile.sealed(base.encode()) as text, lost_on_error():
                self._ask(b"b", text)
                if self._shell.control.recv(16) != b"1":
                    raise HolderLost("the zygote ended")
        self._holder = self._made()

    def _made(self) -> Holder:
        """A holder, with a network of its own where this jail's has connections of a case.

        Nobody waits for it: one that comes to nothing ends its line.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs, lost_on_error():
                self._ask(b"n" if self._connected else b"p", theirs)
        except HolderLost:
            ours.close()
            raise
        return Holder(ours)

    def _ask(self, word: bytes, handed: socket.socket | FileIO) -> None:
        """Asks the zygote."""
        socket.send_fds(self._shell.control, [word], [handed.fileno()])

    def load(self, program: Program) -> None:
        """Has the holder read and compile a program; raises `HolderLost`."""
        assert self._holder is not None
        if self._limited is None:  # later, what the last case had will do to compile
            self._limit(Limits())
        self._setup = setup(program)
        self._holder.load(self._setup)
        self.sound = True

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,
    ) -> Outcome:
        """Runs the program once, and perhaps begins its next case; raises `HolderLost`.

        Args:
            stdin: its standard input.
            limits: what it may use.
            wire: its descriptor 3.
            ahead: the next case's standard input.
        """
        self.sound = False
        try:
            sent = self._sent_ahead(stdin, limits, wire) or self._sent(stdin, limits, wire)
            with contextlib.closing(sent.printed):
                begun_ahead = self._begin(ahead, limits)
                outcome = self._outcome(sent)
                if not begun_ahead and self._holder is not None:
                    self._holder.fresh = False
        except BaseException:
            self._connected = True  # for all that is known
            self._leave()  # an answer may be on its way, and is nobody's
            raise
        if outcome.ended == "wall" and sent.was_unread:
            self._forget_ahead()
            return self.case(stdin, limits, wire, ahead)
        return outcome

    def _begin(self, ahead: bytes | None, limits: Limits) -> bool:
        """Asks for the next case; False where the holder has left, though it may have answered."""
        if ahead is None:
            return True
        try:
            self._ahead = self._sent(ahead, limits, None)
        except HolderLost:
            return False
        return True

    def _outcome(self, sent: Sent) -> Outcome:
        assert self._holder is not None
        group = self._shell.group
        watch = CpuWatch(group.cpu_s) if group is not None else None
        stopped, used, wall_s, out, err = self._holder.outcome(sent.printed, sent.limits, watch)
        self._connected |= self._holder.connected
        out_of_memory = self._ran_out()
        if out_of_memory and self._ahead is not None and not self._holder.over:
            raise HolderLost("a case or the next one, which had begun, ran out of memory")
        if not self._holder.fresh:
            self._forget_ahead()
        if self._ahead is not None:
            self._ahead.begins()
        self.sound = not self._connected
        ended = stopped or capture.ended_by(used, sent.limits, out_of_memory=out_of_memory)
        number = signal.SIGKILL.value if stopped else abs(used.status)
        together_s = watch.spent_s if stopped == "cpu" and watch is not None else 0.0
        cpu_s = max(together_s, used.cpu_s)
        return Outcome(ended, number, out, err, wall_s, cpu_s, used.peak_bytes)

    def _sent_ahead(self, stdin: bytes, limits: Limits, wire: socket.socket | None) -> Sent | None:
        """The case that was sent ahead, where it is this one."""
        sent = self._ahead
        if sent is None:
            return None
        if wire is not None or not sent.is_of(stdin, limits):
            self._forget_ahead()
            return None
        self._ahead = None
        sent.look()
        return sent

    def _sent(self, stdin: bytes, limits: Limits, wire: socket.socket | None) -> Sent:
        self._limit(limits)
        if self._holder is None or not self._holder.fresh:
            self._renew()
        with lost_on_error():
            reading = memfile.piped(stdin)
            if reading is None:
                with memfile.sealed(stdin) as file:
                    return self._handed(file.fileno(), stdin, limits, wire, seeks=True)
        try:
            return self._handed(reading, stdin, limits, wire, seeks=False)
        finally:
            os.close(reading)

    def _handed(
        self, fd: int, stdin: bytes, limits: Limits, wire: socket.socket | None, *, seeks: bool
    ) -> Sent:
        assert self._holder is not None
        fds = (fd,) if wire is None else (fd, wire.fileno())
        request = self._request(limits, seeks=seeks)
        return Sent(self._holder.send(request, fds, limits), stdin, limits)

    def _forget_ahead(self) -> None:
        """Ends the case that was sent ahead, with its holder, and waits for that."""
        sent, self._ahead = self._ahead, None
        if sent is None:
            return
        sent.printed.close()
        if self._holder is not None:
            self._holder.stop()
            self._connected |= self._holder.connected
        self._ran_out()  # whatever it did counts for no other

    def _renew(self) -> None:
        """Has the program taken by another holder: what the last case left goes with its own."""
        self.unload()
        self._holder = self._made()
        self._holder.load(self._setup)

    def unload(self) -> None:
        """Lets go of the program: its holder ends, and all that it held."""
        try:
            self._forget_ahead()
        except HolderLost:
            self.sound = False
        self.sound &= not self._connected
        self._leave()

    def _leave(self) -> None:
        """Ends the lines to the holder, and waits for nothing."""
        if self._ahead is not None:
            self._ahead.printed.close()
            self._ahead = None
        if self._holder is not None:
            self._holder.close()
            self._holder = None

    def kill(self) -> None:
        """Ends everything inside, from any thread; a jail that is closed has nothing inside."""
        with self._lock:
            self.sound = False
            if not self._closed:
                self._shell.kill()

    def close(self) -> None:
        """Ends the jail and removes what belongs to it."""
        self._leave()
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._shell.close()

    def forget(self) -> None:
        """Lets go, in a forked child, of what is the parent's: nothing ends by that."""
        self._closed = True
        self._leave()
        self._shell.control.close()

    def _limit(self, limits: Limits) -> None:
        wanted = (limits.memory_mb + _SPARE_MB, limits.processes + _SPARE_PROCESSES)
        if self._shell.group is not None and wanted != self._limited:
            with lost_on_error():
                self._shell.group.limit(*wanted)
            self._limited = wanted

    def _request(self, limits: Limits, *, seeks: bool) -> bytes:
        known, told = self._asked
        if known != (limits, seeks):
            told = request(limits, seeks=seeks, in_cgroup=self._shell.group is not None)
            self._asked = (limits, seeks), told
        return told

    def _ran_out(self) -> bool:
        """Whether the kernel has killed for memory since it was asked last."""
        try:
            return self._shell.group is not None and self._shell.group.ran_out()
        except LOST as error:
            raise lost(error) from error
