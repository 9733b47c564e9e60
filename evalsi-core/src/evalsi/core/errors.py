"""Every error that evalsi raises on purpose, one class for each boundary that can fail.

Messages say what is wrong, where, and what mends it. Extension authors raise plain Python errors;
`Failure.of` turns whatever they raised into a value with a cause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalsi.core.results import Failure

__all__ = [
    "DataError",
    "EngineError",
    "EvalsiError",
    "JudgeError",
    "PluginError",
    "RewardError",
    "SandboxUnavailable",
    "ServerError",
    "SpecError",
]


class EvalsiError(Exception):
    """The root of every error that evalsi raises on purpose.

    `kind` is the kind of the failure that the error becomes when it happens inside a component;
    `retryable` whether the same call may succeed later, None: as failures of that kind may.
    """

    kind = "evaluator"
    retryable: bool | None = None


class DataError(EvalsiError):
    """A rollout that cannot be read: the message names the row, the field and the mend."""

    kind = "data"


class EngineError(EvalsiError):
    """The engine's own processes failed: the keeper did not start, or broke its protocol."""

    kind = "engine"


class PluginError(EvalsiError):
    """A plugin is unknown, broken, named twice, or does not keep its contract."""


class SandboxUnavailable(EvalsiError):  # noqa: N818 - the boundary's name, as DESIGN words it
    """No usable rung, or a jail that did not start: the component errs, it never scores 0."""

    kind = "sandbox"


class ServerError(EvalsiError):
    """A model's server gave no output; `cause` says in one word what came instead.

    Attributes:
        cause: `connect`, `timeout`, `limited` (429), `server` (5xx), `malformed` (no choice, no
            body, half of one), `refused` (another 4xx), `deadline`, `missing` (nothing recorded).
        retry_after_s: seconds that the server asks to wait, or None.
        status: the HTTP status that told it, or None.
    """

    kind = "server"

    def __init__(
        self,
        message: str,
        *,
        cause: str,
        retryable: bool | None = True,
        retry_after_s: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.status = status

    def again(self, message: str) -> ServerError:
        """The same failure with more to say."""
        return ServerError(
            message,
            cause=self.cause,
            retryable=self.retryable,
            retry_after_s=self.retry_after_s,
            status=self.status,
        )

    def __reduce__(self) -> tuple[Callable[..., ServerError], tuple[str], dict[str, object]]:
        return partial(ServerError, cause=self.cause), (str(self),), dict(vars(self))


class JudgeError(EvalsiError):
    """A judge gave no verdict: its server failed, or its answers did not fit after re-asking."""

    kind = "judge"

    def __init__(self, message: str, *, retryable: bool | None = True) -> None:
        super().__init__(message)
        self.retryable = retryable


class SpecError(EvalsiError):
    """A spec that is refused before anything is scored; `issues` lists every reason at once."""

    def __init__(self, issues: Sequence[str] | str) -> None:
        self.issues: tuple[str, ...] = (issues,) if isinstance(issues, str) else tuple(issues)
        super().__init__("\n".join(self.issues))

    def __reduce__(self) -> tuple[type[SpecError], tuple[tuple[str, ...]]]:
        return SpecError, (self.issues,)


class RewardError(EvalsiError):
    """A batch that failed under `onError: raise`: `causes` names every failed component.

    Each cause is `(rollout id, component name, failure)`.
    """

    def __init__(self, causes: Sequence[tuple[str, str, Failure]]) -> None:
        self.causes = tuple(causes)
        lines = [f"rollout {row}, component {name}: {why}" for row, name, why in self.causes]
        shown = lines[:20] + ([f"and {len(lines) - 20} more"] if len(lines) > 20 else [])
        super().__init__("\n".join(shown))

    def __reduce__(self) -> tuple[type[RewardError], tuple[tuple[tuple[str, str, Failure], ...]]]:
        return RewardError, (self.causes,)
