"""What opener and guest say to each other while a program runs: outputs, the wire, the end.

Nothing here waits for the other side to read: what cannot be written is kept, so that neither a
program nor the wire's other end can hold the opener up.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from typing import Final, Literal

from evalsi.core.sandbox import Limits
from evalsi_sandbox.capture import LOOK_S, Purse

__all__ = ["Talk", "frame"]

_HEAD: Final = struct.Struct("=cI")
_CHUNK: Final = 1 << 16
_BACKLOG: Final = 1 << 20  # of the wire, kept for an end that does not read


def frame(kind: bytes, data: bytes) -> bytes:
    """One frame, as the guest reads it."""
    return _HEAD.pack(kind, len(data)) + data


class Talk:
    """The frames of one command.

    Attributes:
        kept: bytes by `o` and `e`, at most the limit of each.
        stopped: the limit that the command broke, or None.
        done: the guest's last frame: `d` or `b`, with its text; None if it ended without one.
        wall_s: how long it took.
    """

    def __init__(
        self,
        control: socket.socket,
        wire: socket.socket | None,
        limits: Limits,
        purse: Purse | None,
    ) -> None:
        self.kept = {b"o": bytearray(), b"e": bytearray()}
        self.stopped: Literal["wall", "output", "cpu"] | None = None
        self.done: tuple[bytes, bytes] | None = None
        self.wall_s = 0.0
        self._control = control
        self._wire = wire
        self._wire_speaks = True
        self._limits = limits
        self._purse = purse
        self._held = bytearray()
        self._out = bytearray()  # for the guest
        self._wire_out = bytearray()  # for the wire's other end

    def until_end(self, request: bytes) -> None:
        """Sends the request and listens until the guest is done or gone, or a limit is broken."""
        started = time.monotonic()
        self._out += frame(b"r", request)
        while not self._over():
            left = started + self._limits.wall_s - time.monotonic()
            ready = self._wait(min(left, LOOK_S)) if left > 0 else {}
            if self._purse is not None and self._purse.is_empty():
                self.stopped = "cpu"
            elif left <= 0:
                self.stopped = "wall"
            elif not all(self._serve(which, what) for which, what in ready.items()):
                break
        self.wall_s = time.monotonic() - started

    def _over(self) -> bool:
        return self.stopped is not None or (self.done is not None and not self._wire_out)

    def _wait(self, left_s: float) -> dict[int, int]:
        poll = select.poll()
        reading = select.POLLIN if len(self._wire_out) < _BACKLOG else 0
        poll.register(self._control, reading | (select.POLLOUT if self._out else 0))
        if self._wire is not None:
            heard = select.POLLIN if self._wire_speaks and len(self._out) < _CHUNK else 0
            wanted = heard | (select.POLLOUT if self._wire_out else 0)
            if wanted:
                poll.register(self._wire, wanted)
        return dict(poll.poll(left_s * 1000))

    def _serve(self, which: int, ready: int) -> bool:
        """Reads and writes what can be; False when the guest is gone."""
        if which != self._control.fileno():
            self._serve_wire(ready)
            return True
        if ready & select.POLLOUT:
            with contextlib.suppress(OSError):
                del self._out[: self._control.send(self._out, socket.MSG_DONTWAIT)]
        return self._listen() if ready & ~select.POLLOUT else True

    def _listen(self) -> bool:
        try:
            part = self._control.recv(_CHUNK, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._held += part
        while (taken := self._taken()) is not None:
            self._take(*taken)
        return bool(part)

    def _taken(self) -> tuple[bytes, bytes] | None:
        if len(self._held) < _HEAD.size:
            return None
        kind, size = _HEAD.unpack_from(self._held)
        end = _HEAD.size + size
        if len(self._held) < end:
            return None
        data = bytes(self._held[_HEAD.size : end])
        del self._held[:end]
        return kind, data

    def _take(self, kind: bytes, data: bytes) -> None:
        if kind in self.kept:
            kept = self.kept[kind]
            room = self._limits.output_bytes - len(kept)
            kept += data[:room]
            if len(data) > room:
                self.stopped = self.stopped or "output"
        elif kind == b"w":
            self._wire_out += data if self._wire is not None else b""
        else:
            self.done = kind, data

    def _serve_wire(self, ready: int) -> None:
        assert self._wire is not None
        try:
            if ready & select.POLLOUT:
                del self._wire_out[: self._wire.send(self._wire_out, socket.MSG_DONTWAIT)]
            if ready & ~select.POLLOUT:
                part = self._wire.recv(_CHUNK, socket.MSG_DONTWAIT)
                self._out += frame(b"w", part)
                self._wire_speaks = bool(part)
        except BlockingIOError:
            pass
        except OSError:  # its other end is gone
            self._out += frame(b"w", b"")
            self._wire = None
            self._wire_out.clear()
