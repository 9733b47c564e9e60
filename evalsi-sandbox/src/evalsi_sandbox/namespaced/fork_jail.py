"""A standing jail with a warmed Python in it, which holds one program at a time."""

from __future__ import annotations

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
    CpuWatch,
    Holder,
    HolderLost,
    lost_on_error,
    timeval,
)
from evalsi_sandbox.namespaced.walls import SHM, TMP
from evalsi_sandbox.rlimits import jail_cpu_s, rlimits

if TYPE_CHECKING:
    from io import FileIO

    from evalsi_sandbox.namespaced.shell import Shell

__all__ = ["ForkJail"]

_ANSWER_S: Final = 5.0
_SPARE_MB: Final = 96  # for the zygote, the holder and the tool, which share the cgroup
_SPARE_PROCESSES: Final = 8


class ForkJail:
    """A standing jail with a warmed Python in it, which holds one program at a time."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._lock = threading.Lock()
        self._holder: Holder | None = None
        self._setup = b""
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
            with memfile.sealed(base.encode()) as text:
                self._ask(b"b", text)
        self._holder = self._made()

    def _made(self) -> Holder:
        """A holder, with a network of its own where this jail's has connections of a case."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._ask(b"n" if self._connected else b"p", theirs)
        except HolderLost:
            ours.close()
            raise
        return Holder(ours)

    def _ask(self, word: bytes, handed: socket.socket | FileIO) -> None:
        """Asks the zygote; raises `HolderLost`."""
        with lost_on_error():
            socket.send_fds(self._shell.control, [word], [handed.fileno()])
            if int(self._shell.control.recv(16)) <= 0:
                raise HolderLost("the kernel gives no namespaces inside the jail")

    def load(self, program: Program) -> None:
        """Has the holder read and compile a program; raises `HolderLost`."""
        assert self._holder is not None
        if self._limited is None:  # later, what the last case had will do to compile
            self._limit(Limits())
        self._setup = marshal.dumps(_setup(program))
        self._holder.load(self._setup)
        self.sound = True

    def case(self, stdin: bytes, limits: Limits, wire: socket.socket | None) -> Outcome:
        """Runs the program once; raises `HolderLost`."""
        reading = memfile.piped(stdin)
        if reading is None:
            with memfile.sealed(stdin) as file:
                return self._case(file.fileno(), limits, wire, seeks=True)
        try:
            return self._case(reading, limits, wire, seeks=False)
        finally:
            os.close(reading)

    def _case(
        self, stdin: int, limits: Limits, wire: socket.socket | None, *, seeks: bool
    ) -> Outcome:
        assert self._holder is not None
        self._limit(limits)
        self.sound = False
        if not self._holder.fresh:
            self._renew()
        group = self._shell.group
        watch = CpuWatch(group.cpu_s) if group is not None else None
        stopped, used, wall_s, out, err = self._holder.case(
            self._request(limits, seeks=seeks),
            (stdin,) if wire is None else (stdin, wire.fileno()),
            limits,
            watch,
        )
        self._connected |= self._holder.connected
        self.sound = not self._connected
        ended = stopped or capture.ended_by(used, limits, out_of_memory=self._ran_out())
        number = signal.SIGKILL.value if stopped else abs(used.status)
        cpu_s = watch.spent_s if stopped == "cpu" and watch is not None else used.cpu_s
        return Outcome(ended, number, out, err, wall_s, cpu_s, used.peak_bytes)

    def _renew(self) -> None:
        """Has the program taken by another holder: what the last case left goes with its own."""
        self.unload()
        self._holder = self._made()
        self._holder.load(self._setup)

    def unload(self) -> None:
        """Lets go of the program: its holder ends, and all that it held."""
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
        with lost_on_error():
            return self._shell.group is not None and self._shell.group.ran_out()


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
