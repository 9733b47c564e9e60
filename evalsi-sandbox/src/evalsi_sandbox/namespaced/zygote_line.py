"""A holder's line to its opener, and room for what the kernel tells it of a case.

All of it is there before the first fork: what Python's own functions make anew for each message,
each fork would copy. A part of the zygote's text: standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys

from evalsi_sandbox.namespaced.zygote_calls import PPOLL, RECVMSG, SENDTO, checked, syscall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

READABLE, HUNG_UP, NO_SIGNAL = 1, 0x2000, 0x4000


class Part(ctypes.Structure):
    """`struct iovec`."""

    _fields_ = (("at", ctypes.c_void_p), ("size", ctypes.c_size_t))


class Message(ctypes.Structure):
    """`struct msghdr`."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_size", ctypes.c_uint),
        ("parts", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_size", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    )


class Waited(ctypes.Structure):
    """`struct pollfd`."""

    _fields_ = (("fd", ctypes.c_int), ("events", ctypes.c_short), ("happened", ctypes.c_short))


HEAD = ctypes.c_uint()
CONTROL = (ctypes.c_int * 16)()  # a header of four, and descriptors
CONTROL_SIZE, FIRST = ctypes.sizeof(CONTROL), 4
HEADS = Part(ctypes.addressof(HEAD), 4)
MESSAGE = Message(None, 0, ctypes.addressof(HEADS), 1, ctypes.addressof(CONTROL), 0, 0)
MESSAGE_AT = ctypes.byref(MESSAGE)

# The kernel writes a case's status and usage there, and they go to the opener as they are.
SUMMARY = struct.Struct("=BBdd")
ANSWER = ctypes.create_string_buffer(SUMMARY.size + 4 + 144)
ANSWER_SIZE = len(ANSWER)
NO_ANSWER = bytes(ANSWER_SIZE)
SIGNALLED = SUMMARY.size  # where a status says by what
STATUS_AT = ctypes.byref(ANSWER, SUMMARY.size)
USAGE_AT = ctypes.byref(ANSWER, SUMMARY.size + 4)

WAITED = (Waited * 2)()
ENDED, ENOUGH = WAITED  # the case's end; the opener's end of the line, which says: enough
ENDED.events, ENOUGH.events = READABLE, HUNG_UP
SPAN = (ctypes.c_long * 2)()  # seconds and nanoseconds


def received(wire: int) -> tuple[bytes, int]:
    """A frame, and how many descriptors came with it; EOFError when the opener is gone.

    The kernel gives them the first numbers that are free: who keeps those free has them where a
    program's own belong.
    """
    MESSAGE.control_size = CONTROL_SIZE
    got = syscall(RECVMSG, wire, MESSAGE_AT, 0)
    if got < 4:
        head = bytes(HEAD)[: checked(got)]
        HEAD.value = int.from_bytes(head + exactly(wire, 4 - got), sys.byteorder)
    count = CONTROL[0] // 4 - FIRST if MESSAGE.control_size else 0
    if count and CONTROL[FIRST + count - 1] != count - 1:
        raise OSError("descriptors arrived elsewhere")
    size = HEAD.value
    return exactly(wire, size) if size else b"", count


def exactly(wire: int, size: int) -> bytes:
    """So many bytes and no more: the next frame may be there."""
    data = b""
    while len(data) < size:
        part = os.read(wire, size - len(data))
        if not part:
            raise EOFError
        data = data + part if data else part
    return data


def answer(wire: int, ended: int, left: int, wall_s: float, spent_s: float) -> None:
    """Tells the opener of a case, whose status and usage are written already."""
    SUMMARY.pack_into(ANSWER, 0, ended, left, wall_s, spent_s)
    checked(syscall(SENDTO, wire, ANSWER, ANSWER_SIZE, NO_SIGNAL, None, 0))


def broken(wire: int, error: BaseException) -> NoReturn:
    """Ends a holder; its opener finds the cause at the end of the line, shorter than an answer."""
    with contextlib.suppress(OSError):  # nobody is there any more
        os.write(wire, f"{type(error).__name__}: {error}".encode()[: ANSWER_SIZE - 1])
    os._exit(1)


def happened(count: int, within_ns: int) -> int:
    """Waits for one of the first so many that are waited for; how many it was."""
    SPAN[0], SPAN[1] = divmod(within_ns, 1_000_000_000)
    return checked(syscall(PPOLL, WAITED, count, SPAN, None, 0))
