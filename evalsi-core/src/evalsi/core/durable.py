"""Files that survive a kill: a journal of lines, and texts that appear whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from evalsi.core.errors import DataError

__all__ = ["Journal", "publish", "publishing"]


def publish(path: Path, text: str) -> None:
    """Writes a text file atomically: a reader sees the old one or the new one."""
    with publishing(path) as file:
        file.write(text)


@contextlib.contextmanager
def publishing(path: Path) -> Iterator[IO[str]]:
    """A text file to write in the block, which replaces `path` when the block ends well."""
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
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
