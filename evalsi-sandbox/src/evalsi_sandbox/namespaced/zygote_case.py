"""A holder's work: forks a case of its program, limits it, watches it, and ends what it left.

A part of the zygote's text: standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import marshal
import os
import struct
import sys
import time
from _signal import SIGKILL  # type: ignore[import-not-found]

from evalsi_sandbox.namespaced.zygote_calls import (
    CAPSET,
    CLOSE,
    CLOSE_RANGE,
    DUMPABLE,
    KILL,
    MUNMAP,
    PIDFD_OPEN,
    PRCTL,
    PRLIMIT,
    SETSID,
    UMOUNT,
    WAIT,
    checked,
    fork,
    syscall,
)
from evalsi_sandbox.namespaced.zygote_life import Life, compiled
from evalsi_sandbox.namespaced.zygote_line import (
    ANSWER,
    ENDED,
    ENOUGH,
    NO_ANSWER,
    SIGNALLED,
    STATUS_AT,
    USAGE_AT,
    answer,
    broken,
    happened,
    received,
)
from evalsi_sandbox.namespaced.zygote_memory import PAGE, share
from evalsi_sandbox.namespaced.zygote_processor import roam, stay
from evalsi_sandbox.namespaced.zygote_rooms import (
    ROOMS,
    connected,
    furnish,
    look,
)
from evalsi_sandbox.namespaced.zygote_watch import (
    CPU,
    EXITED,
    LOOK_S,
    RUNNING,
    TOLD,
    UNCONFINED,
    WALL,
    Purse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DETACH = 2
SECCOMP, FILTER, NOHANG = 22, 2, 1
QUICK_S = 0.01  # most cases end within it, those of asserts too
TOUCHED, CONNECTED = 1, 2  # what a case has left: a folder that is not as it was, connections
LINE, NET = 20, 21  # a holder's own descriptors: those below are a case's
LAST = 1 << 20
SOCKSTAT = 440  # bytes, which the interpreter takes from its own rooms
NO_CAPABILITY = struct.pack("II", 0x2008_0522, 0), bytes(24)


class Filter(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_void_p))


class Limit(ctypes.Structure):
    """`struct rlimit`."""

    _fields_ = (("soft", ctypes.c_ulong), ("hard", ctypes.c_ulong))


class Holder:
    """One program, compiled, and its cases one after another; `take` gives it the program.

    A zygote has it ready, and each of its forks that becomes a holder fills it.

    Args:
        lines: the system call filter.
    """

    life: Life
    rooms: dict[str, tuple[int, bytes]]
    page: ctypes.c_void_p
    begun: ctypes.c_bool  # shared with the case until its program begins
    untouched: bytes
    noted: bool
    wall_s: float
    together_s: float
    first_to_die: bool
    seeks: bool
    rlimits: list[tuple[int, Any]]

    def __init__(self, lines: bytes) -> None:
        self.lines = ctypes.create_string_buffer(lines)
        self.filter = Filter(len(lines) // 8, ctypes.addressof(self.lines))
        self.filter_at = ctypes.byref(self.filter)

    def look(self, rooms: dict[str, int]) -> None:
        """Sees what its rooms and its network are like before the first case."""
        self.rooms = {room: (size, look(room)) for room, size in rooms.items()}
        self.untouched = os.pread(NET, SOCKSTAT, 0)

    def take(self, setup: dict[str, Any]) -> None:
        """Becomes the holder of a program."""
        for room, size_mb in setup["rooms"].items():
            if self.rooms[room][0] != size_mb:
                self.renew(room, size_mb)
        if setup["before"]:  # the opener vouches for it: it is not the program's
            exec(compile(setup["before"], "/box/before.py", "exec"), {"__name__": "before"})  # noqa: S102
        self.noted = False
        self.page = share()
        self.begun = ctypes.c_bool.from_address(self.page.value or 0)
        code = compiled(setup["source"])
        gc.freeze()
        self.life = Life(code, setup["source"])  # young, for a collection to find its objects
        self.life.kept = self

    def confine(self) -> None:
        """Drops every capability and takes the system call filter, which each case inherits."""
        checked(syscall(CAPSET, *NO_CAPABILITY))
        checked(syscall(PRCTL, SECCOMP, FILTER, self.filter_at, 0, 0))

    def next(self) -> Life | None:
        """Does what the next request asks for; returns a life in the case alone."""
        try:
            payload, count = received(LINE)
            if payload:  # else the limits are as before
                self.limit(payload)
            return self.case(count)
        except EOFError:
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 - told to the opener
            broken(LINE, error)

    def limit(self, payload: bytes) -> None:
        """Reads what the next cases may use."""
        limits = marshal.loads(payload)  # noqa: S302 - written by the opener
        self.wall_s, self.together_s = limits["wall_s"], limits["together_s"]
        self.first_to_die, self.seeks = limits["first_to_die"], limits["seeks"]
        self.rlimits = [(what, ctypes.byref(Limit(*pair))) for what, *pair in limits["rlimits"]]

    def case(self, count: int) -> Life | None:
        """Runs the program once and answers how it ended; returns a life in the case alone.

        What it prints goes to the opener's own pipes.

        Args:
            count: its descriptors, which are there already.
        """
        self.begun.value = False
        ANSWER.raw = NO_ANSWER  # the last case's is not this one's business
        begun = time.monotonic()
        pid = fork()
        if pid == 0:
            syscall(SETSID)
            self.live(count)
            return self.life
        # While the case lives, each page that is written to here is copied: first wait.
        ENDED.fd = checked(syscall(PIDFD_OPEN, checked(pid), 0))
        ended, spent_s = EXITED, 0.0
        if not happened(1, int(min(QUICK_S, self.wall_s) * 1e9)):
            roam()  # to be heard where the case takes all of this processor
            ended, spent_s = self.watch(pid, begun)
            stay()
        self.noted = True
        syscall(CLOSE, ENDED.fd)
        close(0, count)
        wall_s = time.monotonic() - begun
        if ended != EXITED:
            syscall(KILL, pid, SIGKILL)
        checked(syscall(WAIT, pid, STATUS_AT, 0, USAGE_AT))
        left = self.clean()
        if ended == EXITED and not self.begun.value:
            ended = UNCONFINED
        answer(LINE, ended, left, wall_s, spent_s)
        if left or ended == TOLD or (ended == EXITED and ANSWER[SIGNALLED] != b"\0"):
            os._exit(0)  # the next case may be asked for already: it has another holder
        return None

    def watch(self, pid: int, begun: float) -> tuple[int, float]:
        """Waits for the case's end, the opener's, or a limit of its time; and CPU seconds."""
        if self.first_to_die:
            put_first(pid)
        if not self.noted:  # that all was made ready: from now on a program's own time counts
            answer(LINE, RUNNING, 0, 0.0, 0.0)
        purse = Purse(self.together_s, begun)
        deadline = begun + self.wall_s
        ENOUGH.fd = LINE
        while (left := deadline - time.monotonic()) > 0:
            if happened(2, int(min(left, LOOK_S) * 1e9)):
                return EXITED if ENDED.happened else TOLD, purse.spent_s
            if purse.is_empty():
                return CPU, purse.spent_s
        return WALL, purse.spent_s

    def clean(self) -> int:
        """Ends what the case left running; gives what else it left, for which a holder is too old.

        Folders and connections go with this holder's namespaces: the next case has a new one.
        """
        # Whoever is left in the namespace is ours to wait for.
        if syscall(WAIT, -1, None, NOHANG, None) >= 0 and syscall(KILL, -1, SIGKILL) == 0:
            while syscall(WAIT, -1, None, 0, None) >= 0:
                pass
        left = 0
        for room, (_, fresh) in self.rooms.items():
            if look(room) != fresh:
                left = TOUCHED
        if connected(self.untouched, os.pread(NET, SOCKSTAT, 0)):
            left |= CONNECTED
        return left

    def renew(self, room: str, size_mb: int) -> None:
        """Replaces a folder by an empty one."""
        os.chdir("/")
        checked(syscall(UMOUNT, room.encode(), DETACH))
        furnish(room, size_mb)
        self.rooms[room] = size_mb, look(room)
        os.chdir(next(iter(ROOMS)))

    def live(self, first: int) -> None:
        """Becomes the case: all but the program's own text.

        Args:
            first: from here on no descriptor stays open.
        """
        try:
            roam()
            close(first, LAST)
            if self.seeks:
                read_input()
            syscall(PRCTL, DUMPABLE, 1, 0, 0, 0)  # as any program: its files in /proc are its own
            for what, limit in self.rlimits:
                checked(syscall(PRLIMIT, 0, what, limit, None))
            self.begun.value = True
            syscall(MUNMAP, self.page, PAGE)  # out of the program's reach
        except BaseException as error:  # noqa: BLE001 - told to the opener
            os.write(2, f"{type(error).__name__}: {error}".encode())
            os._exit(1)


def close(first: int, end: int) -> None:
    """Closes descriptors; before Linux 5.9 one by one."""
    if syscall(CLOSE_RANGE, first, end - 1, 0) < 0:
        os.closerange(first, end)


def put_first(pid: int) -> None:
    """Has the kernel take this process, and its children to come, first when memory is short.

    Who has ended before this needs none of it.
    """
    with contextlib.suppress(OSError):  # it has ended meanwhile
        fd = os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"1000")
        os.close(fd)


def read_input(fd: int = 0) -> None:
    """Makes `sys.stdin`, which asks once whether its descriptor can seek."""
    raw = io.FileIO(fd, "rb", closefd=False)
    raw.name = "<stdin>"
    stream = io.TextIOWrapper(io.BufferedReader(raw), "utf-8", "surrogateescape", newline="\n")
    stream.mode = "r"  # type: ignore[misc]
    sys.stdin = sys.__stdin__ = stream  # type: ignore[misc]
