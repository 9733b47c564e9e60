"""The opener's side of a jail that forks Python: one program at a time, case after case.

Whatever the other side sends or fails to send is `HolderLost`: every wait has a deadline that the
kernel keeps (`SO_RCVTIMEO`, `SO_SNDTIMEO`), and an answer is checked before it is believed.
"""

from __future__ import annotations

import contextlib
import functools
import marshal
import math
import resource
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from evalsi.core.sandbox import Ended, JailSpec, Limits, Outcome, Program, encoded
from evalsi_sandbox import capture, memfile
from evalsi_sandbox.interpreter import environment
from evalsi_sandbox.namespaced import seccomp
from evalsi_sandbox.namespaced.walls import SHM, TMP
from evalsi_sandbox.rlimits import jail_cpu_s, rlimits

if TYPE_CHECKING:
    from evalsi_sandbox.namespaced.shell import Shell

__all__ = ["ForkJail", "Holder", "HolderLost"]

_ANSWER: Final = struct.Struct("!BBiddQII")
_STOPPED: Final[dict[int, Ended | None]] = {0: None, 1: "wall", 2: "output", 3: "cpu"}
_CPU: Final = 3
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
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(_SPARE_S))
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(capture.LOOK_S))

    def load(self, setup: bytes) -> None:
        """Hands over the program; raises `HolderLost` unless the holder takes it."""
        with _lost_on_error():
            self._send(setup, [])
            answer = self._receive(5, _READY_S)
            if answer != b"ready":
                raise HolderLost(answer.decode("utf-8", "replace"))

    def case(
        self, request: bytes, fds: list[int], limits: Limits, watch: _CpuWatch | None = None
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

        with _lost_on_error():
            self._send(request, fds)
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
        self, least: int, within_s: float, *, look: Callable[[], None] | None = None
    ) -> bytes:
        """At least so many bytes, within the time."""
        deadline = time.monotonic() + within_s
        data = bytearray()
        while len(data) < least:
            try:
                part = self._wire.recv(max(least - len(data), _CHUNK))
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


class _CpuWatch:
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


class ForkJail:
    """A standing jail with a warmed Python in it, which holds one program at a time."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._lock = threading.Lock()
        self._holder: Holder | None = None
        self._limited: tuple[int, int] | None = None
        self._requests: dict[tuple[Limits, bool], bytes] = {}
        self._closed = False
        self.programs = 0
        self.leased_by: int | None = None  # a thread
        self.sound = True
        self.opened = time.monotonic()
        self.memory = "cgroup" if shell.group is not None else "per-process"
        shell.control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(_READY_S))
        shell.control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(_SPARE_S))

    def take(self) -> None:
        """Has a fresh holder made; raises `HolderLost`, and no program has a part in that."""
        self.unload()
        self.programs += 1
        self.sound = False
        ours, theirs = socket.socketpair()
        try:
            with theirs, _lost_on_error():
                socket.send_fds(self._shell.control, [b"p"], [theirs.fileno()])
                if int(self._shell.control.recv(16)) <= 0:
                    raise HolderLost("the kernel gives no namespaces inside the jail")
        except HolderLost:
            ours.close()
            raise
        self._holder = Holder(ours)

    def load(self, program: Program) -> None:
        """Has the holder read and compile a program; raises `HolderLost`."""
        assert self._holder is not None
        if self._limited is None:  # later, what the last case had will do to compile
            self._limit(Limits())
        self._holder.load(marshal.dumps(_setup(program)))
        self.sound = True

    def case(self, stdin: bytes, limits: Limits, wire: socket.socket | None) -> Outcome:
        """Runs the program once; raises `HolderLost`."""
        assert self._holder is not None
        self._limit(limits)
        self.sound = False
        group = self._shell.group
        watch = _CpuWatch(group.cpu_s) if group is not None else None
        with memfile.stdin(stdin) as file:
            fds = [file.fileno(), *([wire.fileno()] if wire is not None else [])]
            stopped, used, wall_s, out, err = self._holder.case(
                self._request(limits, seeks=file.seekable()), fds, limits, watch
            )
        self.sound = self._holder.sound
        ended = stopped or capture.ended_by(used, limits, out_of_memory=self._ran_out())
        number = signal.SIGKILL.value if stopped else abs(used.status)
        cpu_s = watch.spent_s if stopped == "cpu" and watch is not None else used.cpu_s
        return Outcome(ended, number, out, err, wall_s, cpu_s, used.peak_bytes)

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
            with _lost_on_error():
                self._shell.group.limit(*wanted)
            self._limited = wanted

    def _request(self, limits: Limits, *, seeks: bool) -> bytes:
        known = self._requests.get((limits, seeks))
        if known is not None:
            return known
        in_cgroup = self._shell.group is not None
        caps = rlimits(limits, processes=limits.processes + 1, bounded_together=in_cgroup)
        request = {
            "wall_s": float(limits.wall_s),
            "together_s": 0.0 if in_cgroup else float(jail_cpu_s(limits)),
            "output_bytes": int(limits.output_bytes),
            "first_to_die": in_cgroup,
            "seeks": seeks,
            "rlimits": [(getattr(resource, name), *pair) for name, pair in caps.items()],
        }
        self._requests = {(limits, seeks): marshal.dumps(request)}
        return self._requests[limits, seeks]

    def _ran_out(self) -> bool:
        with _lost_on_error():
            return self._shell.group is not None and self._shell.group.ran_out()


@contextlib.contextmanager
def _lost_on_error() -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, struct.error, EOFError, TypeError) as error:
        raise HolderLost(f"{type(error).__name__}: {error}") from error


def _timeval(seconds: float) -> bytes:
    return struct.pack("ll", int(seconds), int(seconds % 1 * 1e6))


@functools.cache
def _filter() -> bytes:
    return seccomp.program(seccomp.machine())


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
        "filter": _filter(),
    }
