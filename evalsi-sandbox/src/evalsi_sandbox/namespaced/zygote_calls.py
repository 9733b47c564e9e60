"""The system calls of a zygote and its forks, all by one function of the C library.

Each function more, of Python or of C, is a page or two more that every fork copies or misses.
Nor is `errno` kept for each call, which Python would do in a dictionary: only who fails asks.

A part of the zygote's text: standard library only.
"""

import ctypes
import os

LIBC = ctypes.PyDLL(None)  # the interpreter's lock is kept over a fork
syscall, fork, errno_at = LIBC.syscall, LIBC.fork, LIBC.__errno_location
errno_at.restype = ctypes.c_void_p

# Source: the kernel's syscall tables, as for `seccomp.py`.
CAPSET, CLONE, CLOSE, CLOSE_RANGE, KILL, MOUNT, MUNMAP, PIDFD_OPEN, PPOLL = {
    "x86_64": (126, 56, 3, 436, 62, 165, 11, 434, 271),
    "aarch64": (91, 220, 57, 436, 129, 40, 215, 434, 73),
}[os.uname().machine]
SIGACTION = {"x86_64": 13, "aarch64": 134}[os.uname().machine]
PRCTL, PRLIMIT, RECVMSG, GETAFFINITY, SETAFFINITY, GETCPU, SENDTO, SETSID, STATX, UMOUNT, WAIT = {
    "x86_64": (157, 302, 47, 204, 203, 309, 44, 112, 332, 166, 61),
    "aarch64": (167, 261, 212, 123, 122, 168, 206, 157, 291, 39, 260),
}[os.uname().machine]

DUMPABLE = 4  # for PRCTL


def checked(result: int) -> int:
    """What a call gave; raises what it failed with."""
    if result < 0:
        number = ctypes.c_int.from_address(errno_at()).value
        raise OSError(number, os.strerror(number))
    return result
