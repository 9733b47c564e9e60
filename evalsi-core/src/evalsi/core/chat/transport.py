"""What carries a body to a server and its answer back, and the ways in which that fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

__all__ = [
    "IDLE_S",
    "MAX_BYTES",
    "Answer",
    "Broken",
    "Transport",
    "TransportFailed",
    "Unreachable",
    "Unreadable",
]

MAX_BYTES: Final = 64 * 1024 * 1024
"""The longest answer that is read."""

IDLE_S: Final = 4.0
"""Seconds that an idle connection is kept: below the 5 s after which common servers close."""


class Answer(NamedTuple):
    """An answer of HTTP; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class TransportFailed(Exception):  # noqa: N818 - it never leaves the room
    """There is no answer; the message is a clause about the server.

    Attributes:
        cause: as `ServerError.cause`.
    """

    cause = "connect"


class Unreachable(TransportFailed):
    """No connection."""


class Broken(TransportFailed):
    """A connection that ended before the answer did."""


class Unreadable(TransportFailed):
    """An answer that is no HTTP, does not decode, or is too long."""

    cause = "malformed"


class Transport(Protocol):
    """Connections to one URL, for one event loop."""

    async def post(self, body: bytes) -> Answer:
        """The server's answer; raises `TransportFailed`. Cancelling it ends its connection."""
        ...

    async def aclose(self) -> None:
        """Closes what is open."""
        ...
