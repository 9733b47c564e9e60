"""Files without a folder: what a jail may read and nobody can change."""

from __future__ import annotations

import fcntl
import os
from io import FileIO
from typing import Final

__all__ = ["piped", "scratch", "sealed", "stdin"]

_PIPE_BYTES: Final = 65536


def sealed(data: bytes) -> FileIO:
    """A file that holds `data`, at its start."""
    file = FileIO(os.memfd_create("evalsi", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), "r+b")
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
    file.seek(0)
    seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)
    return file


def stdin(data: bytes) -> FileIO:
    """What a program reads on standard input: a pipe where one takes all of it, else a file.

    Programs poll a pipe, and hand it to asyncio; both refuse a file. It may be opened again by
    path (`/dev/stdin`), whoever the program runs as.
    """
    reading = piped(data)
    return sealed(data) if reading is None else FileIO(reading, "rb")


def piped(data: bytes) -> int | None:
    """The reading end of a pipe that holds `data` and then ends; None where none takes it all."""
    if len(data) > _PIPE_BYTES:
        return None
    reading, writing = os.pipe()
    try:
        os.fchmod(reading, 0o444)
        os.set_blocking(writing, False)  # the kernel gives smaller pipes to who has many
        if not data or os.write(writing, data) == len(data):
            return reading
    except BlockingIOError:
        pass
    finally:
        os.close(writing)
    os.close(reading)
    return None


def scratch() -> FileIO:
    """An empty file to write to."""
    return FileIO(os.memfd_create("evalsi", os.MFD_CLOEXEC), "r+b")
