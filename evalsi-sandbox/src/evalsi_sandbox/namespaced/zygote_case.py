"""A holder's work: forks a case of its program, confines it, watches it, and cleans up after it.

A part of the zygote's text: standard library only.
"""

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
from typing import Any

from evalsi_sandbox.namespaced.zygote_life import Life, compiled
from evalsi_sandbox.namespaced.zygote_rooms import (
    LIBC,
    ROOMS,
    checked,
    connected,
    furnish,
    look,
    network,
    raise_loopback,
)
from evalsi_sandbox.namespaced.zygote_watch import (
    CPU,
    EXITED,
    OUTPUT,
    UNCONFINED,
    WALL,
    Printed,
    Purse,
)

DETACH, CLONE_NET = 2, 0x4000_0000
DUMPABLE, SECCOMP, FILTER = 4, 22, 2
QUICK_MS = 3  # most cases end within it, and print less than a pipe holds
ANSWER = struct.Struct("!BBiddQII")


class Filter(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


class Holder:
    """One program, compiled, and its cases one after another; `take` gives it the program."""

    wire: socket
    life: Life
    filter: Filter
    filter_at: Any

    def __init__(self, rooms: dict[str, int]) -> None:
        self.rooms = {room: (size, look(room)) for room, size in rooms.items()}
        self.no_capabilities = ctypes.create_string_buffer(24)
        self.header = struct.pack("II", 0x2008_0522, 0)
        self.begun = mmap.mmap(-1, 1)  # shared with the case until its program begins
        self.printed = Printed(0)
        self.net = network()
        self.untouched = os.pread(self.net, 1024, 0)
        self.soiled = False
        warm_up()

    def take(self, setup: dict[str, Any], wire: socket) -> None:
        """Becomes the holder of a program."""
        self.wire = wire
        for room, size_mb in setup["rooms"].items():
            if self.rooms[room][0] != size_mb:
                self.renew(room, size_mb)
        lines = setup["filter"]
        self.filter = Filter(len(lines) // 8, lines)
        self.filter_at = ctypes.byref(self.filter)
        if setup["before"]:  # the opener vouches for it: it is not the program's
            exec(compile(setup["before"], "/box/before.py", "exec"), {"__name__": "before"})  # noqa: S102
        self.life = Life(compiled(setup["source"]), setup["source"])
        gc.freeze()

    def case(self, limits: dict[str, Any], fds: list[int]) -> Life | None:
        """Runs the program once and answers how it ended; returns a life in the case alone."""
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        self.begun[0] = 0
        begun = time.monotonic()
        pid = LIBC.fork()
        if pid == 0:
            return self.live(limits, [fds[0], out_end, err_end, *fds[1:]])
        checked(pid)
        # While the case lives, each page that is written to here is copied: first wait.
        alive = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(alive, select.POLLIN)
        quick = poll.poll(QUICK_MS)
        for fd in (out_end, err_end, *fds):
            os.close(fd)
        if self.printed.most != limits["output_bytes"]:
            self.printed = Printed(limits["output_bytes"])
        kept = self.printed
        kept.start(out, err)
        purse = Purse(limits["together_s"], begun)
        deadline = begun + limits["wall_s"]
        ended = EXITED if quick else self.watch(poll, alive, kept, purse, deadline)
        os.close(alive)
        wall_s = time.monotonic() - begun
        if ended != EXITED:
            os.kill(pid, SIGKILL)
        _, status, used = os.wait4(pid, 0)
        self.clean()
        if ended == EXITED:
            ended = kept.rest()
        if ended == EXITED and not self.begun[0]:
            ended = UNCONFINED
        code = os.waitstatus_to_exitcode(status)
        cpu_s = max(used.ru_utime + used.ru_stime, purse.spent_s)
        parts = kept.parts()
        sizes = (len(parts[0]), len(parts[1]))
        answer = ANSWER.pack(ended, self.soiled, code, wall_s, cpu_s, used.ru_maxrss * 1024, *sizes)
        self.answer([answer, *parts])
        kept.end()
        return None

    def answer(self, parts: list[Any]) -> None:
        """Sends an answer."""
        sent = self.wire.sendmsg(parts)
        for part in parts:
            if sent < len(part):
                self.wire.sendall(part[sent:])
            sent = max(0, sent - len(part))

    def watch(
        self, poll: select.poll, alive: int, kept: Printed, purse: Purse, deadline: float
    ) -> int:
        """Reads what is printed until the case's end, a full measure, or a limit of its time."""
        poll.register(self.wire, select.POLLIN)  # a word: enough; its end: the opener is gone
        for fd in kept.fds:
            poll.register(fd, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            for fd, _ in poll.poll(min(left, purse.look_s) * 1000):
                if fd == alive:
                    return EXITED
                if fd == self.wire.fileno():
                    if not self.wire.recv(1):
                        os._exit(0)
                    return CPU
                size = kept.take(fd)
                if size < 0:
                    return OUTPUT
                if size == 0:
                    poll.unregister(fd)
            if purse.is_empty():
                return CPU
        return WALL

    def clean(self) -> None:
        """Ends what the case left running, and replaces what it has touched."""
        # Whoever is left in the namespace is ours to wait for.
        if LIBC.waitpid(-1, None, os.WNOHANG) >= 0 and LIBC.kill(-1, SIGKILL) == 0:
            while LIBC.waitpid(-1, None, 0) >= 0:
                pass
        for room, (size_mb, fresh) in self.rooms.items():
            if look(room) != fresh:
                self.renew(room, size_mb)
        if connected(self.untouched, os.pread(self.net, 1024, 0)):
            self.soiled = True  # for the programs after this one: its cases get a new network
            os.close(self.net)
            checked(LIBC.unshare(CLONE_NET))
            raise_loopback()
            self.net = network()
            self.untouched = os.pread(self.net, 1024, 0)

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
            os.setsid()
            for number, fd in enumerate(fds):
                os.dup2(fd, number)
            os.closerange(len(fds), 1 << 20)
            if limits["seeks"]:
                read_input()
            self.confine(limits)
            self.begun[0] = 1
            self.begun.close()  # out of the program's reach
        except BaseException as error:  # noqa: BLE001 - told to the opener
            os.write(2, f"{type(error).__name__}: {error}".encode())
            os._exit(1)
        self.life.kept = self, limits, fds  # to free them would touch their pages
        return self.life

    def confine(self, limits: dict[str, Any]) -> None:
        """Takes every limit, drops every capability, and closes the door."""
        LIBC.prctl(DUMPABLE, 1, 0, 0, 0)  # as any program: its files in /proc are its own
        if limits["first_to_die"]:
            fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
            os.write(fd, b"1000")
            os.close(fd)
        for number, soft, hard in limits["rlimits"]:
            resource.setrlimit(number, (soft, hard))
        checked(LIBC.capset(self.header, self.no_capabilities))
        if self.filter.length:
            checked(LIBC.prctl(SECCOMP, FILTER, self.filter_at, 0, 0))


def read_input() -> None:
    """Makes `sys.stdin`, which asks once whether its descriptor can seek."""
    raw = io.FileIO(0, "rb", closefd=False)
    raw.name = "<stdin>"
    stream = io.TextIOWrapper(io.BufferedReader(raw), "utf-8", "surrogateescape", newline="\n")
    stream.mode = "r"  # type: ignore[misc]
    sys.stdin = sys.__stdin__ = stream  # type: ignore[misc]


def warm_up() -> None:
    """Looks up once what every case would look up again."""
    for name in ("fork", "prctl", "capset", "umount2", "unshare", "syscall", "waitpid", "kill"):
        getattr(LIBC, name)
