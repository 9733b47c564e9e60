"""What every fork of the zygote copies, made less: mappings, and the pages of Python's own code.

A part of the zygote's text: standard library only.
"""

import ctypes
import io
import itertools

from evalsi_sandbox.namespaced.zygote_calls import LIBC

READ, WRITE, EXECUTE = 1, 2, 4
PRIVATE_ANONYMOUS, SHARED_ANONYMOUS, MAYMOVE_FIXED, COLLAPSE = 0x22, 0x21, 3, 25
HUGE, PAGE = 2 << 20, 4096

NOWHERE = 2**64 - 1  # MAP_FAILED

AT, SIZE, NUMBER = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
LIBC.mmap.restype = AT
LIBC.mmap.argtypes = AT, SIZE, NUMBER, NUMBER, NUMBER, SIZE
LIBC.mremap.argtypes = AT, SIZE, SIZE, NUMBER, AT
LIBC.mprotect.argtypes = LIBC.madvise.argtypes = AT, SIZE, NUMBER
LIBC.munmap.argtypes = AT, SIZE


def share() -> ctypes.c_void_p:
    """A page that this process shares with those that it forks."""
    page = LIBC.mmap(None, PAGE, READ | WRITE, SHARED_ANONYMOUS, -1, 0)
    if page == NOWHERE:
        raise MemoryError
    return ctypes.c_void_p(page)


def enlarge() -> None:
    """Moves the interpreter's code into huge pages: what is one page is neither copied nor missed.

    Only what is whole huge pages of code and constants moves. Where the kernel gives none, the
    code stays where it is.
    """
    for first, end in code():
        start, stop = -(-first // HUGE) * HUGE, end // HUGE * HUGE
        if stop > start:
            replace(start, stop - start)


def code() -> list[tuple[int, int]]:
    """Where code lies, with the constants of its file beside it."""
    found: list[tuple[int, int, bytes, bool]] = []
    for first, end, access, file in mappings():
        if file.startswith(b"/") and access in (b"r--p", b"r-xp"):
            runs = access == b"r-xp"
            if found and found[-1][1:3] == (first, file):
                first, _, _, ran = found.pop()  # noqa: PLW2901 - it goes on
                runs = runs or ran
            found.append((first, end, file, runs))
    return [(first, end) for first, end, _, runs in found if runs]


def replace(start: int, size: int) -> None:
    """Puts a copy in huge pages over a part of the code, all at once."""
    room = LIBC.mmap(None, size + HUGE, READ | WRITE, PRIVATE_ANONYMOUS, -1, 0)
    if room == NOWHERE:
        return
    copy = -(-room // HUGE) * HUGE
    ctypes.memmove(copy, start, size)
    if LIBC.madvise(copy, size, COLLAPSE) == 0:
        LIBC.mprotect(copy, size, READ | EXECUTE)
        LIBC.mremap(copy, size, size, MAYMOVE_FIXED, start)
    LIBC.munmap(room, size + HUGE)


def fold() -> None:
    """Makes two mappings of the five that each library and program has: every fork copies them all.

    What one keeps read-only becomes executable, or writable as its data: in these processes
    nothing stands on that.
    """
    for (first, end, access, file), after in itertools.pairwise(mappings()):
        if access == b"r--p" and file.startswith(b"/") and b"/locale/" not in file:
            data = after[2:] == (b"rw-p", file)
            LIBC.mprotect(first, end - first, READ | (WRITE if data else EXECUTE))


def mappings() -> list[tuple[int, int, bytes, bytes]]:
    """First address, end, access and file of each."""
    with io.FileIO("/proc/self/maps") as maps:
        rows = [line.split(maxsplit=5) for line in maps.readall().splitlines()]
    return [(*span(row[0]), row[1], row[5] if len(row) > 5 else b"") for row in rows]


def span(text: bytes) -> tuple[int, int]:
    """Both ends of a mapping."""
    first, _, end = text.partition(b"-")
    return int(first, 16), int(end, 16)
