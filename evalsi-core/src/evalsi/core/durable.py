"""Files that survive a kill: a journal of lines, and texts that appear whole or not at all.

And the folder for what need not survive: locks and leases of this user on this host.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from evalsi.core.errors import DataError, EngineError

__all__ = ["Journal", "publish", "publishing", "publishing_bytes"]


def publish(path: Path, text: str) -> None:
    """Writes a text file atomically: a reader sees the old one or the new one."""
    with publishing(path) as file:
        file.write(text)


@contextlib.contextmanager
def publishing(path: Path) -> Iterator[IO[str]]:
    """A text file to write in the block, which replaces `path` when the block ends well."""
    with publishing_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8")
        try:
            yield text
        finally:
            text.detach()  # which flushes it


@contextlib.contextmanager
def publishing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """As `publishing`, for a file of bytes."""
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(fd, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def runtime_dir() -> Path:
    """A folder of this user alone for locks and leases; raises `EngineError` when it is not."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = Path(base) / f"evalsi-{os.getuid()}"
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        held = folder.lstat()
        if held.st_uid != os.getuid() or not stat.S_ISDIR(held.st_mode):
            raise EngineError(f"{folder} is not a folder of yours; set XDG_RUNTIME_DIR to one")
        folder.chmod(0o700)
    except OSError as error:
        raise EngineError(f"{folder} cannot be used ({error}); set XDG_RUNTIME_DIR") from error
    return folder


class Journal:
    """A file of whole lines that one process appends to.

    What a kill left of a last line is cut when the journal is opened to go on.

    Args:
        path: the file; its folder exists.
        resume: go on behind the lines that are there; else the file must be absent or empty.

    Raises:
        DataError: the file has lines and `resume` is not set, or another process writes it.
    """

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        self._file: IO[bytes] = path.open("ab+")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise DataError(f"{path} is being written by another process") from error
        if not resume and self._file.tell():
            self._file.close()
            raise DataError(f"{path} exists; --resume goes on with it, or remove it")
        self._cut()

    def _cut(self) -> None:
        size = self._file.seek(0, os.SEEK_END)
        at = size
        while at > 0:
            start = max(0, at - 65536)
            self._file.seek(start)
            newline = self._file.read(at - start).rfind(b"\n")
            if newline >= 0:
                at = start + newline + 1
                break
            at = start
        if at < size:
            self._file.truncate(at)

    def lines(self) -> Iterator[bytes]:
        """The lines that are there."""
        self._file.seek(0)
        yield from self._file

    def append(self, line: bytes) -> None:
        """Writes one line; a kill after this call does not lose it."""
        self._file.write(line + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
