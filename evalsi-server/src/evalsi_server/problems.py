"""What the protocol itself refuses, and errors as answers: a status, a JSON body, a cause."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from starlette.responses import Response

from evalsi.core.reward.wire import problem_bytes

__all__ = ["Problem", "ending", "json_answer"]

Kind: TypeAlias = Literal[
    "busy",
    "conflict",
    "deadline",
    "draining",
    "forbidden",
    "gone",
    "internal",
    "no-length",
    "not-found",
    "too-large",
    "unauthorized",
    "unknown-spec",
]

_STATUS: Final[Mapping[Kind, int]] = {
    "unauthorized": 401,
    "forbidden": 403,
    "not-found": 404,
    "unknown-spec": 404,
    "conflict": 409,
    "no-length": 411,
    "too-large": 413,
    "gone": 499,
    "internal": 500,
    "busy": 503,
    "draining": 503,
    "deadline": 504,
}
_AGAIN: Final = frozenset({"busy", "deadline", "draining"})


class Problem(Exception):  # noqa: N818 - the protocol's word
    """A request that gets no rewards, for a reason that is not its rollouts'.

    Attributes:
        kind: why, in one word.
        status: the HTTP status.
    """

    def __init__(self, kind: Kind, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = _STATUS[kind]
        self._retry_after_s = retry_after_s

    def answer(self) -> Response:
        """The response."""
        headers = {"www-authenticate": "Bearer"} if self.kind == "unauthorized" else {}
        if self._retry_after_s is not None:
            headers["retry-after"] = str(math.ceil(self._retry_after_s))
        body = problem_bytes(self.kind, str(self), retryable=self.kind in _AGAIN)
        return json_answer(self.status, body, headers)


def ending() -> Problem:
    """What is told to those who still wait when the server ends."""
    return Problem("draining", "the server is ending; ask its successor", retry_after_s=1)


def json_answer(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> Response:
    """A response of JSON that is encoded already."""
    return Response(body, status, dict(headers or {}), "application/json")
