"""What is mounted for a program, and how it is told that a case has touched it.

A part of the zygote's text: standard library only.
"""

from __future__ import annotations

import ctypes
import os
import struct
from _socket import AF_INET, SOCK_DGRAM, socket

from evalsi_sandbox.namespaced.zygote_calls import LIBC, MOUNT, STATX, checked, syscall

TYPE_CHECKING = False  # typing itself would be a tenth of a jail's memory
if TYPE_CHECKING:
    from typing import Any

NOSUID_NODEV, NOEXEC, READ_ONLY, NO_ATIME, REMOUNT_BIND, PRIVATE = 6, 8, 1, 1024, 0x1020, 0x4_4000
MAIN = "/box/main.py"
ROOMS = {"/tmp": 64, "/dev/shm": 16}  # noqa: S108 - inside, and private; sizes that most ask for
HERE, BASIC_STATS = -100, 0x7FF
SEEN = ctypes.create_string_buffer(256)  # what `os.stat` makes of it are twenty objects


def inhabit(user: tuple[int, int]) -> None:
    """Makes new namespaces habitable: who we are, which processes are seen, where to write."""
    put("/proc/self/setgroups", b"deny")
    for name, number in zip(("uid_map", "gid_map"), user, strict=True):
        put(f"/proc/self/{name}", b"%d %d 1" % (number, number))
    syscall(MOUNT, b"none", b"/", None, PRIVATE, None)
    # Where the jail's own /proc is partly covered the kernel refuses a new one; the old one shows
    # no more than this jail's own helpers.
    syscall(MOUNT, b"proc", b"/proc", b"proc", NOSUID_NODEV | NOEXEC, None)
    for room, size_mb in ROOMS.items():
        furnish(room, size_mb)
    os.chdir(next(iter(ROOMS)))


def settle(setup: dict[str, Any]) -> None:
    """Puts into the box and the environment what a program finds there."""
    furnish("/box", 1 + sum(map(len, setup["files"].values())) // 500_000)
    for name, data in setup["files"].items():
        path = f"/box/{name}"
        if "/" in name:
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        put(path, data)
    checked(syscall(MOUNT, b"none", b"/box", None, REMOUNT_BIND | NOSUID_NODEV | READ_ONLY, None))
    for name, value in setup["env"].items():
        os.environ[name] = value


def furnish(room: str, size_mb: int) -> None:
    """Mounts an empty folder of a size."""
    options = b"size=%dm,mode=1777,nr_inodes=32k" % size_mb
    checked(syscall(MOUNT, b"tmpfs", room.encode(), b"tmpfs", NOSUID_NODEV | NO_ATIME, options))


def look(room: str) -> bytes:
    """What changes when a folder's entries, mode, times or attributes do: `struct statx`."""
    checked(syscall(STATX, HERE, room.encode(), 0, BASIC_STATS, SEEN))
    return SEEN.raw


def put(path: str, data: bytes) -> None:
    """Writes a file."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o444)
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.close(fd)


def watch_network(at: int) -> None:
    """Opens, under that number, a view of this network's sockets, closed connections included."""
    view = os.open("/proc/self/net/sockstat", os.O_RDONLY)
    os.dup2(view, at, inheritable=False)
    os.close(view)


def connected(before: bytes, now: bytes) -> bool:
    """Whether TCP connections are open or linger that did not before: these bar their port."""
    return now != before and tcp(now) != tcp(before)


def tcp(view: bytes) -> list[bytes]:
    """How many connections are open, and how many linger."""
    return view.partition(b"TCP: inuse ")[2].split()[:5:4]


def raise_loopback() -> None:
    """Sets the interface lo up."""
    any_socket = socket(AF_INET, SOCK_DGRAM)
    request = ctypes.create_string_buffer(struct.pack("16sh22x", b"lo", 0x1 | 0x40))
    checked(LIBC.ioctl(any_socket.fileno(), 0x8914, request))  # SIOCSIFFLAGS
    any_socket.close()
