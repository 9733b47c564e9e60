"""Frames of JSON on a socket: four bytes of size, then the text; nothing else is ever read.

Both ends bound what they take. What does not fit the form is `Malformed`, never a crash: on the
tester's end everything that arrives was written by the program under test.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket

MOST_BYTES = 32 * 1024 * 1024
_ENCODE = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_DECODE = json.JSONDecoder().decode


class Malformed(Exception):  # noqa: N818 - an event at the boundary
    """What came over the wire has a form that it never has, or is too large."""


class Wire:
    """One end of the socket between tester and candidate."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def send(self, frame: list[Any]) -> None:
        """Sends a frame; raises `Malformed` when it is too large, before any of it is sent."""
        data = text_of(frame).encode("ascii")
        if len(data) > MOST_BYTES:
            raise Malformed(f"{len(data)} bytes in one message; {MOST_BYTES} are the most")
        self._sock.sendall(len(data).to_bytes(4, "big") + data)

    def receive(self) -> list[Any]:
        """The next frame; raises `EOFError` at the end, and `Malformed`."""
        size = int.from_bytes(self._exactly(4), "big")
        if size > MOST_BYTES:
            raise Malformed(f"a message of {size} bytes is announced")
        data = self._exactly(size)
        try:
            frame = _DECODE(data.decode("ascii"))
        except (ValueError, RecursionError) as error:
            raise Malformed(f"a message is not JSON: {type(error).__name__}") from None
        if type(frame) is not list or not frame:
            raise Malformed("a message is not a list")
        return frame

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            part = self._sock.recv(min(size - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
        return bytes(data)


def text_of(form: Any) -> str:
    """A form as JSON text in ASCII; lone surrogates are escaped."""
    try:
        return _ENCODE(form)
    except RecursionError:
        raise Malformed("data nests too deep") from None
