"""Who may ask: this machine's processes, or whoever holds the token.

OpenRLHF can send no header, so the token may also stand in the path, before the route:
`/t/<token>/get_reward`. It leaves the path here, before anything could log it.
"""

from __future__ import annotations

import hmac
import os
import re
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from evalsi_server.problems import Problem

__all__ = ["Guard", "Token"]

_OPEN: Final = frozenset({"/healthz", "/readyz"})
_SOUND: Final = re.compile(r"[A-Za-z0-9._~-]{16,256}")
_MAKE: Final = "python -c 'import secrets; print(secrets.token_urlsafe(32))'"
_PREFIX: Final = "/t/"


class Token:
    """A secret that a request must know; compared in constant time, and shown by nothing.

    Args:
        secret: 16 to 256 letters, digits or any of `._~-`, so that a path can hold it.

    Raises:
        ValueError: it is none; the message does not show it.
    """

    def __init__(self, secret: str) -> None:
        if not _SOUND.fullmatch(secret):
            raise ValueError(f"it must be 16 to 256 of A-Z a-z 0-9 . _ ~ -; make one: {_MAKE}")
        self._secret = secret.encode()

    def __repr__(self) -> str:
        return "Token(***)"

    @classmethod
    def of_environment(cls, name: str) -> Token:
        """The token that a variable of the environment holds; `ValueError` where it is none.

        It leaves the environment, which every process that this one starts would inherit.
        """
        secret = os.environ.pop(name, None)
        if secret is None:
            raise ValueError(f"it is not set; {name}=$({_MAKE})")
        return cls(secret.strip())

    def admits(self, given: str) -> bool:
        """Whether it is the secret."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._secret)


class Guard:
    """Refuses what has no token, and what a browser sends.

    A web page may post to a loopback address from the browser of whoever visits it; a browser
    says where such a request comes from, and no trainer does.

    Args:
        app: what is guarded; `/healthz` and `/readyz` are open.
        token: what a request must know, or None.
    """

    def __init__(self, app: ASGIApp, token: Token | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            return
        in_path = _without_token(scope)
        try:
            self._require(scope, in_path)
        except Problem as problem:
            await problem.answer()(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _require(self, scope: Scope, in_path: str) -> None:
        headers = dict(scope["headers"])
        if b"origin" in headers:
            raise Problem("forbidden", "requests of web pages are refused (they have an Origin)")
        if self._token is None or scope["path"] in _OPEN:
            return
        scheme, _, value = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        given = value.strip() if scheme.lower() == "bearer" else in_path
        if not self._token.admits(given):
            raise Problem(
                "unauthorized",
                "give the token: `Authorization: Bearer <token>`, or the path /t/<token>/…",
            )


def _without_token(scope: Scope) -> str:
    """Takes the token out of the path, for good, and returns it; "" where there is none."""
    if not scope["path"].startswith(_PREFIX):
        return ""
    token, _, rest = scope["path"].removeprefix(_PREFIX).partition("/")
    scope["path"] = f"/{rest}"
    scope["raw_path"] = scope["path"].encode()
    return str(token)
