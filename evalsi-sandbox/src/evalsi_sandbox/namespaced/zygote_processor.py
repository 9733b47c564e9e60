"""Keeps a holder on the processor that its zygote runs on: the kernel would start each fork elsewhere.

A case on another processor than its holder finds nothing of it in the caches, and each wakes the
other across. A case itself may go where it likes, as soon as it runs.

A part of the zygote's text: standard library only.
"""

import ctypes

from evalsi_sandbox.namespaced.zygote_rooms import LIBC

SIZE = 1024  # bytes: 8,192 processors
ANY, ONE = ctypes.create_string_buffer(SIZE), ctypes.create_string_buffer(SIZE)


def stay() -> None:
    """Keeps to this processor; where the kernel knows no such thing all stays as it is."""
    LIBC.sched_getaffinity(0, SIZE, ANY)
    byte, bit = divmod(LIBC.sched_getcpu(), 8)
    ONE[byte] = 1 << bit
    LIBC.sched_setaffinity(0, SIZE, ONE)
    ONE[byte] = 0


def roam() -> None:
    """May go to any processor again."""
    LIBC.sched_setaffinity(0, SIZE, ANY)
