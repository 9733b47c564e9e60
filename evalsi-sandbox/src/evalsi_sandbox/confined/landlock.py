"""What Landlock can hold on this kernel, and the rules of one jail.

Landlock grew: each version of its interface (ABI) handles more. What is not handled is not held,
so the filter of system calls makes up for older kernels.

Source: `linux/landlock.h`, and the kernel's `userspace-api/landlock`.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from evalsi.core.errors import SandboxUnavailable
from evalsi_sandbox import linux

__all__ = ["FILES_ONLY", "Rules", "abi", "attributes", "rules"]

Rules = list[tuple[str, int]]
"""Paths with the rights that hold on them and below."""

_CREATE_RULESET: Final = 444
_ASK_VERSION: Final = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHARACTER, _MAKE_BLOCK, _TRUNCATE, _IOCTL_DEV = 1 << 6, 1 << 11, 1 << 14, 1 << 15
_READ: Final = _READ_FILE | _READ_DIR
_FILES: Final = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 5: 0xFFFF}  # rights by the ABI they came with
_TCP: Final = 0x3  # to bind, to connect
_SCOPES: Final = 0x3  # abstract unix sockets, signals
FILES_ONLY: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
"""The rights that a rule about a single file may give."""

_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full")
_RANDOM: Final = ("/dev/random", "/dev/urandom")
_OWN: Final = ("cmdline", "comm", "fd", "limits", "maps", "stat", "statm", "status")
_MENDS: Final = {
    errno.ENOSYS: "a kernel from 5.13 on, built with Landlock (CONFIG_SECURITY_LANDLOCK)",
    errno.EOPNOTSUPP: "boot with landlock among the security modules (lsm=landlock,...)",
    errno.EPERM: (
        "a container runtime whose seccomp profile knows Landlock (Docker 23 or later), or "
        "--security-opt seccomp=unconfined"
    ),
}


def abi() -> int:
    """The kernel's version of Landlock, at least 1.

    Raises:
        SandboxUnavailable: it has none, or may not be asked.
    """
    linux.require("confined")
    libc = ctypes.CDLL(None, use_errno=True)
    found = int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION))
    if found >= 1:
        return found
    number = ctypes.get_errno()
    name = errno.errorcode.get(number, str(number))
    mend = _MENDS.get(number, _MENDS[errno.ENOSYS])
    raise SandboxUnavailable(f"the kernel does not offer Landlock here ({name}); mend: {mend}")


def attributes(version: int) -> bytes:
    """`struct landlock_ruleset_attr`: what is refused where no rule allows it."""
    if version < 4:
        return struct.pack("=Q", _files(version))
    if version < 6:
        return struct.pack("=QQ", _files(version), _TCP)
    return struct.pack("=QQQ", _files(version), _TCP, _SCOPES)


def rules(version: int, *, system: Iterable[Path], box: Path, tmp: Path) -> Rules:
    """The system and the jail's files to read and execute, its `tmp` to write."""
    known = _files(version)
    write = (_READ_FILE | _WRITE_FILE | _TRUNCATE) & known
    return [
        *((str(path), _READ | _EXECUTE) for path in (*system, box)),
        (str(tmp), known & ~(_MAKE_CHARACTER | _MAKE_BLOCK | _IOCTL_DEV)),
        *((path, write) for path in _DEVICES),
        *((path, _READ_FILE) for path in _RANDOM),
        *((f"/proc/self/{name}", _READ) for name in _OWN),
    ]


def _files(version: int) -> int:
    return _FILES[max(known for known in _FILES if known <= version)]
