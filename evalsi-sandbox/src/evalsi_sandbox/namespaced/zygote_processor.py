"""Keeps a holder where its zygote runs: the kernel would start each fork on another processor.

A case elsewhere than its holder finds nothing of it in the caches, and each wakes the other across.
A case itself may go where it likes, as soon as it runs.

A part of the zygote's text: standard library only.
"""

import ctypes

from evalsi_sandbox.namespaced.zygote_calls import GETAFFINITY, GETCPU, SETAFFINITY, syscall

SIZE = 1024  # bytes: 8,192 processors
ANY, ONE = (ctypes.c_ubyte * SIZE)(), (ctypes.c_ubyte * SIZE)()
HERE = ctypes.c_uint()
HERE_AT = ctypes.byref(HERE)


def stay() -> None:
    """Keeps to this processor; where the kernel does not let it, all stays as it is."""
    if syscall(GETAFFINITY, 0, SIZE, ANY) < 0:
        return
    syscall(GETCPU, HERE_AT, None, None)
    byte, bit = divmod(HERE.value, 8)
    ONE[byte] = 1 << bit
    syscall(SETAFFINITY, 0, SIZE, ONE)
    ONE[byte] = 0


def roam() -> None:
    """May go to any processor again."""
    syscall(SETAFFINITY, 0, SIZE, ANY)
