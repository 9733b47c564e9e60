"""The filter that a confined program has beside the deny-list of `namespaced`.

Landlock holds the files that a program opens. It does not hold a unix socket that is found by its
path, the owner, mode and times of a file, another process's limits and priority, or System V and
POSIX IPC: what a namespace would have kept apart is refused here. Older kernels' Landlock lacks
more, and is made up for.
"""

from __future__ import annotations

import errno
import os
import socket
from typing import Final

from evalsi_sandbox import bpf
from evalsi_sandbox.confined.numbers import Numbers

__all__ = ["ITSELF", "program"]

ITSELF: Final = 0x7FFF_FFF0
"""Stands in the filter for the number of the process that installs it; no process has it."""

_REFUSED: Final = bpf.refuse(errno.EPERM)
_STREAMS: Final = (socket.SOCK_STREAM.value, 5)  # and SOCK_SEQPACKET: they cannot be sent elsewhere
_TYPE: Final = 0xF  # of a socket, without its flags
_SETOWN: Final = (8, 15)  # F_SETOWN, F_SETOWN_EX
_IOCTL_SETOWN: Final = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP
_NO_ACCESS: Final = 3  # an access mode that asks for neither reading nor writing


def program(numbers: Numbers, abi: int, *, own_user: bool) -> bytes:
    """The filter as an array of `struct sock_filter`; the deny-list has checked the processor.

    Args:
        numbers: this processor's calls.
        abi: the version of Landlock that holds the rest.
        own_user: whether the program runs as its opener, whose files it then could change.
    """
    lines = [bpf.line(bpf.LOAD, bpf.NUMBER)]
    refused = [*numbers.shared.values(), *(numbers.metadata.values() if own_user else ())]
    for number in refused:
        lines += bpf.when(bpf.EQUAL, number, _REFUSED)
    for number in numbers.of_others.values():
        lines += bpf.section(number, _zero())
    lines += bpf.section(numbers.setpriority, [*_zero(), bpf.argument(1), *_zero()])
    lines += bpf.section(numbers.socketpair, _streams())
    if abi < 5:
        lines += _opening(numbers, truncates=abi < 3)
    if abi < 6:
        lines += _signals(numbers)
    return b"".join([*lines, bpf.line(bpf.RETURN, bpf.ALLOW)])


def _zero() -> list[bytes]:
    return bpf.unless(bpf.EQUAL, 0, _REFUSED)


def _streams() -> list[bytes]:
    """A datagram's socket can name another address in `sendmsg`, where no filter sees it."""
    return [
        *bpf.unless(bpf.EQUAL, socket.AF_UNIX, _REFUSED),
        bpf.argument(1),
        bpf.line(bpf.AND, _TYPE),
        *(bpf.line(bpf.EQUAL, kind, len(_STREAMS) - at) for at, kind in enumerate(_STREAMS)),
        bpf.line(bpf.RETURN, _REFUSED),
    ]


def _opening(numbers: Numbers, *, truncates: bool) -> list[bytes]:
    """Landlock asks no right of who opens for neither, and once did not know truncation.

    Opened so, a device takes ioctls.
    """
    lines = bpf.when(bpf.EQUAL, numbers.openat2, bpf.refuse(errno.ENOSYS))
    if truncates:
        lines += bpf.when(bpf.EQUAL, numbers.truncate, _REFUSED)
    for number, flags in numbers.open_at.items():
        body = [bpf.argument(flags), bpf.line(bpf.AND, os.O_ACCMODE)]
        body += bpf.when(bpf.EQUAL, _NO_ACCESS, _REFUSED)
        if truncates:
            body += [bpf.argument(flags), bpf.line(bpf.AND, os.O_ACCMODE | os.O_TRUNC)]
            body += bpf.when(bpf.EQUAL, os.O_RDONLY | os.O_TRUNC, _REFUSED)
        lines += bpf.section(number, body)
    return lines


def _signals(numbers: Numbers) -> list[bytes]:
    """Nobody but the first process may be signalled: the filter cannot tell its children."""
    lines = []
    for number in numbers.signal.values():
        lines += bpf.when(bpf.EQUAL, number, _REFUSED)
    for number in numbers.kill:
        lines += bpf.section(number, bpf.unless(bpf.EQUAL, ITSELF, _REFUSED))
    for number, commands in ((numbers.fcntl, _SETOWN), (numbers.ioctl, _IOCTL_SETOWN)):
        body = [bpf.argument(1)]
        for command in commands:
            body += bpf.when(bpf.EQUAL, command, _REFUSED)
        lines += bpf.section(number, body)
    return lines
