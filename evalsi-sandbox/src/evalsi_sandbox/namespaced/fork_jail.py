"""A standing jail with a warmed Python in it, which holds one program at a time."""

from __future__ import annotations

import contextlib
import marshal
import os
import resource
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING, Final

from evalsi.core.sandbox import JailSpec, Limits, Outcome, Program, encoded
from evalsi_sandbox import capture, memfile
from evalsi_sandbox.interpreter import environment
from evalsi_sandbox.namespaced.holder import (
    LOST,
    CpuWatch,
    Holder,
    HolderLost,
    lost,
    lost_on_error,
    timeval,
)
from evalsi_sandbox.namespaced.printed import Printed
from evalsi_sandbox.namespaced.walls import SHM, TMP
from evalsi_sandbox.rlimits import jail_cpu_s, rlimits

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
        self._ahead: _Sent | None = None
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
        self._setup = marshal.dumps(_setup(program))
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
        sent = self._sent_ahead(stdin, limits, wire) or self._sent(stdin, limits, wire)
        with contextlib.closing(sent.printed):
            if ahead is not None:
                self._ahead = self._sent(ahead, limits, None)
            return self._outcome(sent)

    def _outcome(self, sent: _Sent) -> Outcome:
        assert self._holder is not None
        group = self._shell.group
        watch = CpuWatch(group.cpu_s) if group is not None else None
        stopped, used, wall_s, out, err = self._holder.outcome(sent.printed, sent.limits, watch)
        if not self._holder.fresh:
            self._forget_ahead()
        out_of_memory = self._ran_out()
        if out_of_memory and self._ahead is not None:
            raise HolderLost("a case or the next one, which had begun, ran out of memory")
        self._connected |= self._holder.connected
        self.sound = not self._connected
        ended = stopped or capture.ended_by(used, sent.limits, out_of_memory=out_of_memory)
        number = signal.SIGKILL.value if stopped else abs(used.status)
        cpu_s = watch.spent_s if stopped == "cpu" and watch is not None else used.cpu_s
        return Outcome(ended, number, out, err, wall_s, cpu_s, used.peak_bytes)

    def _sent_ahead(self, stdin: bytes, limits: Limits, wire: socket.socket | None) -> _Sent | None:
        """The case that was sent ahead, where it is this one."""
        sent = self._ahead
        if sent is None:
            return None
        if wire is not None or not sent.is_of(stdin, limits) or sent.waits_for_us():
            self._forget_ahead()
            return None
        self._ahead = None
        return sent

    def _sent(self, stdin: bytes, limits: Limits, wire: socket.socket | None) -> _Sent:
        self._limit(limits)
        if self._holder is None or not self._holder.fresh:
            self._renew()
        reading = memfile.piped(stdin)
        if reading is not None:
            try:
                return self._handed(reading, stdin, limits, wire, seeks=False)
            finally:
                os.close(reading)
        with memfile.sealed(stdin) as file:
            return self._handed(file.fileno(), stdin, limits, wire, seeks=True)

    def _handed(
        self, fd: int, stdin: bytes, limits: Limits, wire: socket.socket | None, *, seeks: bool
    ) -> _Sent:
        assert self._holder is not None
        fds = (fd,) if wire is None else (fd, wire.fileno())
        request = self._request(limits, seeks=seeks)
        return _Sent(self._holder.send(request, fds, limits), stdin, limits)

    def _forget_ahead(self) -> None:
        """Ends the case that was sent ahead, with its holder, and waits for that."""
        sent, self._ahead = self._ahead, None
        if sent is None or self._holder is None:
            return
        sent.printed.close()
        if self._holder.fresh:  # else it never began
            if not self._holder.stopped():
                raise HolderLost("a case that was sent ahead does not end")
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
        self.unload()
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._shell.close()

    def forget(self) -> None:
        """Lets go, in a forked child, of what is the parent's: nothing ends by that."""
        self._closed = True
        if self._ahead is not None:
            self._ahead.printed.close()
        if self._holder is not None:
            self._holder.close()
        self._shell.control.close()

    def _limit(self, limits: Limits) -> None:
        wanted = (limits.memory_mb + _SPARE_MB, limits.processes + _SPARE_PROCESSES)
        if self._shell.group is not None and wanted != self._limited:
            with lost_on_error():
                self._shell.group.limit(*wanted)
            self._limited = wanted

    def _request(self, limits: Limits, *, seeks: bool) -> bytes:
        known, request = self._asked
        if known == (limits, seeks):
            return request
        in_cgroup = self._shell.group is not None
        caps = rlimits(limits, processes=limits.processes + 1, bounded_together=in_cgroup)
        wanted = {
            "wall_s": float(limits.wall_s),
            "together_s": 0.0 if in_cgroup else float(jail_cpu_s(limits)),
            "first_to_die": in_cgroup,
            "seeks": seeks,
            "rlimits": [(getattr(resource, name), *pair) for name, pair in caps.items()],
        }
        self._asked = (limits, seeks), marshal.dumps(wanted)
        return self._asked[1]

    def _ran_out(self) -> bool:
        """Whether the kernel has killed for memory since it was asked last."""
        try:
            return self._shell.group is not None and self._shell.group.ran_out()
        except LOST as error:
            raise lost(error) from error


class _Sent:
    """A case that was asked for."""

    def __init__(self, printed: Printed, stdin: bytes, limits: Limits) -> None:
        self.printed = printed
        self.stdin = stdin
        self.limits = limits
        self._at = time.monotonic()

    def is_of(self, stdin: bytes, limits: Limits) -> bool:
        """Whether it is that case."""
        return (self.stdin, self.limits) == (stdin, limits)

    def waits_for_us(self) -> bool:
        """Whether it may have spent its time in waiting for someone to read what it prints."""
        return time.monotonic() - self._at > _UNREAD_S and self.printed.holds_a_page()


def _setup(program: Program) -> dict[str, object]:
    spec: JailSpec = program.jail
    source = encoded(program.source)
    usual = environment(TMP)  # what the zygote was started with
    return {
        "source": source,
        "before": program.before,
        "files": {**spec.files, "main.py": source},
        "rooms": {TMP: spec.tmp_mb, SHM: spec.shm_mb},
        "env": {name: value for name, value in spec.env.items() if value != usual.get(name)},
    }
