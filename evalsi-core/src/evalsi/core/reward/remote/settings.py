"""Which server scores, and how long it is waited for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from evalsi.core.errors import SpecError
from evalsi.core.reward.wire import PATH

__all__ = ["RemoteServer"]


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """A reward server; pickles without its token, which every process finds for itself.

    Attributes:
        url: its address, as `https://rewards.example:8443`; the path is put behind it.
        token_env: the environment variable that holds the token; an unset one sends none.
        timeout_s: seconds of one try of one request.
        deadline_s: seconds of a whole call, with its tries, its waits and its queue; of a stream,
            those of each of its batches.
        evidence: whether scores bring their evidence; off, because a trainer reads none.

    Raises:
        SpecError: the address is none, or holds what does not belong there; a time is not above 0.
    """

    url: str
    token_env: str = "EVALSI_SERVER_TOKEN"  # noqa: S105 - the name of one
    timeout_s: float = 300.0
    deadline_s: float = 1800.0
    evidence: bool = False

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # a port that is no number, half an IPv6 address
            sound = False
        if not sound:
            raise SpecError(f"server is {self.url!r}; give an address as http://localhost:5000")
        # An address stands in messages and logs.
        holds_more = parts.username is not None or parts.query or parts.fragment
        if holds_more or f"{parts.path}/".startswith("/t/"):
            raise SpecError(
                f"the server's address may hold no token, and nothing but host, port and path; "
                f"give the token in {self.token_env}"
            )

        if not (self.timeout_s > 0 and self.deadline_s > 0):
            raise SpecError("timeout_s and deadline_s of a server are seconds above 0")

    @property
    def endpoint(self) -> str:
        """Where requests go."""
        return self.url.rstrip("/") + PATH

    def token(self) -> str:
        """The token, or ""; raises `SpecError` where it cannot stand in a header."""
        token = os.environ.get(self.token_env, "").strip()
        if token.isascii() and (token.isprintable() or not token):
            return token
        raise SpecError(f"the token in {self.token_env} has characters that no token has")
