"""Files without a folder: what a jail may read and nobody can change."""

from __future__ import annotations

import fcntl
import os
from io import FileIO
from typing import Final

__all__ = ["scratch", "sealed", "stdin"]

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
    if len(data) <= _PIPE_BYTES:
        reading, writing = os.pipe()
        pipe = FileIO(reading, "rb")
        os.set_blocking(writing, False)  # the kernel gives smaller pipes to who has many
        try:
            whole = not data or os.write(writing, data) == len(data)
        except BlockingIOError:
            whole = False
        finally:
            os.close(writing)
        if whole:
            os.fchmod(reading, 0o444)
            return pipe
        pipe.close()
    return sealed(data)


def scratch() -> FileIO:
    """An empty file to write to."""
    return FileIO(os.memfd_create("evalsi", os.MFD_CLOEXEC), "r+b")
