"""The request: a spec or the name of one, and rollouts as `evalsi rewards score` reads them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from evalsi.core.errors import DataError
from evalsi.core.records import Rollout
from evalsi.core.results import JSON
from evalsi.core.reward.wire.json_bytes import NotCarried, decoded, encoded

__all__ = ["ScoreRequest", "read_request", "request_bytes"]

_FIELDS: Final = {
    "spec": str | Mapping | None,
    "rollouts": list,
    "evidence": bool | None,
    "requestId": str | None,
    "timeoutSeconds": int | float | None,
}
_LONGEST_ID: Final = 255


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What a client asks for.

    Attributes:
        spec: the name of one of the server's specs, or a spec, with or without its envelope; None
            where the server has only one.
        rollouts: rows; none asks only what the spec is.
        evidence: whether the answer shows the evidence of scores.
        request_id: equal in every try of one request, or "".
        timeout_s: seconds after which the client no longer waits, or None.
    """

    spec: str | Mapping[str, JSON] | None
    rollouts: Sequence[Rollout]
    evidence: bool = False
    request_id: str = ""
    timeout_s: float | None = None

    def digest(self) -> bytes:
        """16 bytes that stand for what is asked, whoever asks and however long they wait."""
        asked = encoded([self.spec, self.rollouts, self.evidence])
        return hashlib.blake2b(asked, digest_size=16).digest()


def request_bytes(
    spec: str | Mapping[str, Any],
    rows: Sequence[bytes],
    *,
    evidence: bool,
    request_id: str,
    timeout_s: float,
) -> bytes:
    """A request's body.

    Args:
        spec: a name, or the dict form of a spec.
        rows: rollouts, encoded.
        evidence: as in `ScoreRequest`.
        request_id: likewise.
        timeout_s: likewise.
    """
    head = encoded(
        {
            "spec": spec,
            "evidence": evidence,
            "requestId": request_id,
            "timeoutSeconds": timeout_s,
        }
    )
    return b'%s,"rollouts":[%s]}' % (head[:-1], b",".join(rows))


def read_request(body: bytes) -> ScoreRequest:
    """The request that a body is.

    Raises:
        DataError: it is none; the message names the field and what mends it.
    """
    try:
        found = decoded(body)
    except NotCarried as error:
        raise DataError(f"the request {error}") from error
    if not isinstance(found, dict):
        raise DataError(f"the request is {_named(found)}; it must be a JSON object")
    _require_fields(found)
    timeout_s = found.get("timeoutSeconds")
    if timeout_s is not None and (isinstance(timeout_s, bool) or timeout_s <= 0):
        raise DataError(f"`timeoutSeconds` is {timeout_s!r}; it must be a number above 0")
    if len(found.get("requestId") or "") > _LONGEST_ID:
        raise DataError(f"`requestId` has more than {_LONGEST_ID} characters")
    return ScoreRequest(
        cast("str | Mapping[str, JSON] | None", found.get("spec")),
        found["rollouts"],
        bool(found.get("evidence")),
        found.get("requestId") or "",
        timeout_s,
    )


def _require_fields(found: Mapping[str, Any]) -> None:
    unknown = found.keys() - _FIELDS.keys()
    if unknown:
        raise DataError(f"the request has `{min(unknown)}`; it may have {', '.join(_FIELDS)}")
    if "rollouts" not in found:
        raise DataError("the request has no `rollouts`, a list; it may be empty")
    for name, value in found.items():
        if not isinstance(value, _FIELDS[name]):
            raise DataError(f"`{name}` is {_named(value)}; see the reference page of the request")


def _named(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value), "null" if value is None else "a number")
