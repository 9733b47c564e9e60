"""What went wrong, as JSON: the kind says which error it is at home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalsi.core.errors import (
    DataError,
    EngineError,
    EvalsiError,
    JudgeError,
    PluginError,
    RewardError,
    SandboxUnavailable,
    ServerError,
    SpecError,
)
from evalsi.core.results import Failure
from evalsi.core.reward.wire.json_bytes import NotCarried, decoded, encoded

__all__ = [
    "Problem",
    "error_answer",
    "error_of",
    "error_row",
    "failure_of",
    "problem_bytes",
    "read_problem",
    "row_of_failure",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """The `error` of an answer.

    Attributes:
        kind: `spec`, `data`, `plugin`, `reward`, `sandbox`, `engine`, `judge`, `server`; or of
            the protocol `unauthorized`, `forbidden`, `unknown-spec`, `conflict`, `too-large`,
            `busy`, `draining`, `deadline`, `internal`, and what later servers add.
        message: a sentence, or several lines.
        retryable: whether the same request may succeed later.
        issues: of a spec, one by one.
        causes: of a batch that failed: rollout id, component, failure.
    """

    kind: str
    message: str
    retryable: bool = False
    issues: tuple[str, ...] = ()
    causes: tuple[tuple[str, str, Failure], ...] = ()


def error_answer(error: EvalsiError) -> tuple[int, bytes]:
    """The status and the body by which a server tells an error."""
    row = error_row(error)
    return _STATUS.get(row["kind"], 500), encoded({"error": row})


def problem_bytes(kind: str, message: str, *, retryable: bool) -> bytes:
    """The body by which a server tells what is no error of evalsi."""
    return encoded({"error": {"kind": kind, "message": message, "retryable": retryable}})


def error_row(error: EvalsiError) -> dict[str, Any]:
    """An error as plain data."""
    row: dict[str, Any] = {
        "kind": next((kind for kind, of in _KINDS.items() if isinstance(error, of)), "internal"),
        "message": str(error),
        "retryable": Failure.of(error).retryable,
    }
    if isinstance(error, SpecError):
        row["issues"] = list(error.issues)
    if isinstance(error, RewardError):
        row["retryable"] = all(failure.retryable for _, _, failure in error.causes)
        row["causes"] = [
            {"id": name, "component": component, **row_of_failure(failure)}
            for name, component, failure in error.causes
        ]
    return row


def row_of_failure(failure: Failure) -> dict[str, Any]:
    """A failure as plain data."""
    row: dict[str, Any] = {
        "kind": failure.kind,
        "message": failure.message,
        "retryable": failure.retryable,
    }
    return {**row, "where": failure.where} if failure.where else row


def read_problem(body: bytes) -> Problem | None:
    """The problem that a body tells, or None where it is none of ours (a proxy's page)."""
    try:
        row = decoded(body)["error"]
        return Problem(
            _text(row["kind"]),
            _text(row["message"]),
            row["retryable"] is True,
            tuple(map(_text, row.get("issues", ()))),
            tuple(map(_cause, row.get("causes", ()))),
        )
    except (NotCarried, KeyError, TypeError, AttributeError):
        return None


def error_of(problem: Problem) -> EvalsiError | None:
    """The error that a problem is at home; None for those of the protocol itself."""
    if problem.kind in ("spec", "unknown-spec"):
        return SpecError(problem.issues or problem.message)
    if problem.kind == "reward":
        return RewardError(problem.causes)
    made = _MADE.get(problem.kind)
    if made is None:
        return None
    error = made(problem.message)
    error.retryable = problem.retryable
    return error


def failure_of(row: Mapping[str, Any]) -> Failure:
    """The failure that plain data is; raises `KeyError` or `TypeError` where it is none."""
    return Failure(
        _text(row["kind"]),
        _text(row["message"]),
        _text(row.get("where", "")),
        row.get("retryable") is True,
    )


def _cause(row: Mapping[str, Any]) -> tuple[str, str, Failure]:
    return _text(row["id"]), _text(row["component"]), failure_of(row)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value


def _served(message: str) -> ServerError:
    return ServerError(message, cause="server")


_KINDS: Final[Mapping[str, type[EvalsiError]]] = {
    "spec": SpecError,
    "data": DataError,
    "plugin": PluginError,
    "reward": RewardError,
    "sandbox": SandboxUnavailable,
    "engine": EngineError,
    "judge": JudgeError,
    "server": ServerError,
}
_MADE: Final[Mapping[str, Callable[[str], EvalsiError]]] = {
    "data": DataError,
    "plugin": PluginError,
    "sandbox": SandboxUnavailable,
    "engine": EngineError,
    "judge": JudgeError,
    "server": _served,
}
_STATUS: Final = {
    "spec": 400,
    "data": 400,
    "plugin": 400,
    "sandbox": 503,
    "engine": 503,
    "judge": 503,
    "server": 503,
}
