"""What a case prints, read from outside while it runs and once it has ended."""

from __future__ import annotations

import fcntl
import os
import termios
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["Printed"]

_CHUNK: Final = 1 << 16


class Printed:
    """The pipes of a case's standard output and error, and what came through, up to a measure.

    A pipe is never read past what it holds: its writing end may outlive the case, in a message
    that waits in a socket to somebody outside.

    Args:
        most: bytes of each that are kept.

    Attributes:
        ends: the writing ends, until `begun`.
        full: whether more came than that.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        out, out_end = os.pipe()
        self._kept = {out: b""}
        self.ends: list[int] = [out_end]
        self.full = False
        try:
            err, err_end = os.pipe()
        except OSError:
            self.close()
            raise
        self._kept[err] = b""
        self.ends.append(err_end)
        for fd in self.ends:  # a case may open its end again by path, whoever it runs as
            os.fchmod(fd, 0o666)
        for fd in self._kept:
            os.set_blocking(fd, False)

    def close(self) -> None:
        """Lets go of all ends; safe to call twice."""
        self.begun()
        while self._kept:
            os.close(self._kept.popitem()[0])

    def __iter__(self) -> Iterator[int]:
        """The reading ends."""
        return iter(self._kept)

    def between(self, fds: Sequence[int]) -> list[int]:
        """A case's descriptors: standard input, our two, and what comes after them."""
        return [*fds[:1], *self.ends, *fds[1:]]

    def begun(self) -> None:
        """Leaves the writing ends to the case."""
        for fd in self.ends:
            os.close(fd)
        self.ends.clear()

    def is_unread(self) -> bool:
        """Whether something waits to be read, perhaps with somebody who wants to write more."""
        sizes = (fcntl.ioctl(fd, termios.FIONREAD, bytes(4)) for fd in self._kept)
        return any(map(any, sizes))

    def take(self, fd: int) -> bool:
        """Takes some of what is there; whether there may be more."""
        room = self._most + 1 - len(self._kept[fd])
        try:
            part = os.read(fd, min(room, _CHUNK))
        except BlockingIOError:
            return False
        self._kept[fd] += part
        if len(self._kept[fd]) > self._most:
            self._kept[fd] = self._kept[fd][: self._most]
            self.full = True
        return bool(part) and not self.full

    def rest(self) -> tuple[bytes, bytes]:
        """Takes what the pipes still hold; all of output and error."""
        for fd in self._kept:
            while not self.full and self.take(fd):
                pass
        out, err = self._kept.values()
        return out, err
