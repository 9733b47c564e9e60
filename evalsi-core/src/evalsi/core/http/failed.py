"""What a transport's failure is, before a server's name is put to it."""

from __future__ import annotations

__all__ = ["TransportFailed"]


class TransportFailed(Exception):  # noqa: N818 - it never leaves the room
    """There is no answer; the message is a clause about the server.

    Attributes:
        cause: as `ServerError.cause`.
    """

    def __init__(self, message: str, cause: str) -> None:
        super().__init__(message)
        self.cause = cause
