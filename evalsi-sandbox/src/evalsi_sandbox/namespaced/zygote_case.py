"""A holder's work: forks a case of its program, limits it, watches it, and ends what it left.

A part of the zygote's text: standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import mmap
import os
import resource
import select
import struct
import sys
import time
from _signal import SIGKILL  # type: ignore[import-not-found]
from _socket import socket

from evalsi_sandbox.namespaced.zygote_life import Life, compiled
from evalsi_sandbox.namespaced.zygote_processor import roam
from evalsi_sandbox.namespaced.zygote_rooms import (
    LIBC,
    ROOMS,
    checked,
    connected,
    furnish,
    look,
    network,
)
from evalsi_sandbox.namespaced.zygote_watch import (
    CPU,
    EXITED,
    TOLD,
    UNCONFINED,
    WALL,
    Purse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

fork, waitpid, wait4, kill, prctl = LIBC.fork, LIBC.waitpid, LIBC.wait4, LIBC.kill, LIBC.prctl
STATUS, USAGE = ctypes.c_char * 4, ctypes.c_char * 144  # each is dear to make
DETACH = 2
DUMPABLE, SECCOMP, FILTER, NOHANG = 4, 22, 2, 1
QUICK_MS = 3  # most cases end within it
TOUCHED, CONNECTED = 1, 2  # what a case has left: a folder that is not as it was, connections
HEAD = struct.Struct("=BBdd")


class Filter(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


class Holder:
    """One program, compiled, and its cases one after another; `take` gives it the program."""

    wire: socket
    life: Life

    def __init__(self, rooms: dict[str, int]) -> None:
        self.rooms = {room: (size, look(room)) for room, size in rooms.items()}
        self.begun = mmap.mmap(-1, 1)  # shared with the case until its program begins
        self.poll = select.poll()
        # The kernel writes a case's status and usage there, and they go to the opener as they are.
        self.status, self.usage = STATUS(), USAGE()
        self.how_it_was = ctypes.byref(self.status), 0, ctypes.byref(self.usage)
        self.net = network()
        self.untouched = os.pread(self.net, 1024, 0)

    def take(self, setup: dict[str, Any], wire: socket) -> None:
        """Becomes the holder of a program."""
        self.wire = wire
        for room, size_mb in setup["rooms"].items():
            if self.rooms[room][0] != size_mb:
                self.renew(room, size_mb)
        if setup["before"]:  # the opener vouches for it: it is not the program's
            exec(compile(setup["before"], "/box/before.py", "exec"), {"__name__": "before"})  # noqa: S102
        self.life = Life(compiled(setup["source"]), setup["source"])
        gc.freeze()

    def case(self, limits: dict[str, Any], fds: list[int]) -> Life | None:
        """Runs the program once and answers how it ended; returns a life in the case alone.

        What it prints goes to the opener's own pipes.
        """
        self.begun[0] = 0
        begun = time.monotonic()
        pid = fork()
        if pid == 0:
            return self.live(limits, fds)
        checked(pid)
        # While the case lives, each page that is written to here is copied: first wait.
        alive = os.pidfd_open(pid)
        self.poll.register(alive, select.POLLIN)
        quick = self.poll.poll(QUICK_MS)
        ended, spent_s = (EXITED, 0.0) if quick else self.watch(pid, alive, limits, begun)
        for fd in fds:
            os.close(fd)
        os.close(alive)
        wall_s = time.monotonic() - begun
        if ended != EXITED:
            kill(pid, SIGKILL)
        checked(wait4(pid, *self.how_it_was))
        left = self.clean()
        if ended == EXITED and not self.begun[0]:
            ended = UNCONFINED
        self.wire.sendmsg([HEAD.pack(ended, left, wall_s, spent_s), self.status, self.usage])
        return None

    def watch(
        self, pid: int, alive: int, limits: dict[str, Any], begun: float
    ) -> tuple[int, float]:
        """Waits for the case's end, the opener's word, or a limit of its time; and CPU seconds."""
        if limits["first_to_die"]:
            put_first(pid)
        purse = Purse(limits["together_s"], begun)
        deadline = begun + limits["wall_s"]
        poll = select.poll()
        poll.register(alive, select.POLLIN)
        poll.register(self.wire, select.POLLIN)  # a word: enough; its end: the opener is gone
        while (left := deadline - time.monotonic()) > 0:
            for fd, _ in poll.poll(min(left, purse.look_s) * 1000):
                if fd == alive:
                    return EXITED, purse.spent_s
                if not self.wire.recv(1):
                    os._exit(0)
                return TOLD, purse.spent_s
            if purse.is_empty():
                return CPU, purse.spent_s
        return WALL, purse.spent_s

    def clean(self) -> int:
        """Ends what the case left running; gives what else it left, for which a holder is too old.

        Folders and connections go with this holder's namespaces: the next case has a new one.
        """
        # Whoever is left in the namespace is ours to wait for.
        if waitpid(-1, None, NOHANG) >= 0 and kill(-1, SIGKILL) == 0:
            while waitpid(-1, None, 0) >= 0:
                pass
        left = 0
        for room, (_, fresh) in self.rooms.items():
            if look(room) != fresh:
                left = TOUCHED
        if connected(self.untouched, os.pread(self.net, 1024, 0)):
            left |= CONNECTED
        return left

    def renew(self, room: str, size_mb: int) -> None:
        """Replaces a folder by an empty one."""
        os.chdir("/")
        checked(LIBC.umount2(room.encode(), DETACH))
        furnish(room, size_mb)
        self.rooms[room] = size_mb, look(room)
        os.chdir(next(iter(ROOMS)))

    def live(self, limits: dict[str, Any], fds: list[int]) -> Life:
        """Becomes the case: all but the program's own text."""
        try:
            roam()
            os.setsid()
            for number, fd in enumerate(fds):
                os.dup2(fd, number)
            os.closerange(len(fds), 1 << 20)
            if limits["seeks"]:
                read_input()
            self.limit(limits)
            self.begun[0] = 1
            self.begun.close()  # out of the program's reach
        except BaseException as error:  # noqa: BLE001 - told to the opener
            os.write(2, f"{type(error).__name__}: {error}".encode())
            os._exit(1)
        self.life.kept = self, limits, fds  # to free them would touch their pages
        return self.life

    def limit(self, limits: dict[str, Any]) -> None:
        """Takes every limit."""
        prctl(DUMPABLE, 1, 0, 0, 0)  # as any program: its files in /proc are its own
        for number, soft, hard in limits["rlimits"]:
            resource.setrlimit(number, (soft, hard))


def put_first(pid: int) -> None:
    """Has the kernel take this process, and its children to come, first when memory is short.

    Who has ended before this needs none of it.
    """
    with contextlib.suppress(OSError):  # it has ended meanwhile
        fd = os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"1000")
        os.close(fd)


def confine(lines: bytes) -> None:
    """Drops every capability and takes the system call filter, which each case inherits."""
    checked(LIBC.capset(struct.pack("II", 0x2008_0522, 0), bytes(24)))
    program = Filter(len(lines) // 8, lines)
    checked(prctl(SECCOMP, FILTER, ctypes.byref(program), 0, 0))


def read_input(fd: int = 0) -> None:
    """Makes `sys.stdin`, which asks once whether its descriptor can seek."""
    raw = io.FileIO(fd, "rb", closefd=False)
    raw.name = "<stdin>"
    stream = io.TextIOWrapper(io.BufferedReader(raw), "utf-8", "surrogateescape", newline="\n")
    stream.mode = "r"  # type: ignore[misc]
    sys.stdin = sys.__stdin__ = stream  # type: ignore[misc]
