"""What an evaluation gives: scored, skipped and errored are three different things.

A number exists only when something was measured. An outage, a broken sandbox or an evaluator
that raised is `Errored` with its cause and never becomes 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from evalsi.core.errors import EvalsiError

__all__ = [
    "INFRASTRUCTURE",
    "JSON",
    "By",
    "ComponentResult",
    "Errored",
    "Failure",
    "Result",
    "Reward",
    "Score",
    "Skipped",
]

JSON: TypeAlias = (
    "bool | int | float | str | list[JSON] | tuple[JSON, ...] | Mapping[str, JSON] | None"
)

INFRASTRUCTURE: Final = frozenset({"sandbox", "judge", "server", "engine"})
"""Kinds of failure that say nothing about the rollout: exit code 4 when every cause is one."""

_EMPTY: Final[Mapping[str, float]] = {}


@dataclass(frozen=True, slots=True)
class Score:
    """A measured value.

    Attributes:
        value: any finite number; pass and fail are 1.0 and 0.0.
        metrics: further finite numbers by name, as declared by the evaluator.
        reason: a short text for a person, or a reason code.
        evidence: plain data that shows why; cut at 2 KiB a string and 16 KiB in all.
        stable: False when the same input may score differently next time (a wall timeout, a
            sampled judge); such a score is never kept in the cache.
    """

    value: float
    metrics: Mapping[str, float] = field(default_factory=lambda: _EMPTY)
    reason: str = ""
    evidence: JSON = None
    stable: bool = True


@dataclass(frozen=True, slots=True)
class Skipped:
    """The evaluator does not apply to this record (no reference, no test cases)."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something was not measured.

    Attributes:
        kind: `evaluator`, `deadline`, `data`, or one of `INFRASTRUCTURE`.
        message: a sentence.
        where: the place: a field, a file and line, an evaluator's function.
        retryable: whether the same call may succeed later.
    """

    kind: str
    message: str
    where: str = ""
    retryable: bool = False

    @property
    def infrastructure(self) -> bool:
        """Whether the cause lies outside both the rollout and the evaluator."""
        return self.kind in INFRASTRUCTURE

    def __str__(self) -> str:
        return f"{self.message} ({self.kind}{', ' + self.where if self.where else ''})"

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """The failure that an exception stands for; its place is the innermost frame."""
        if isinstance(error, EvalsiError):
            may_pass = error.kind in INFRASTRUCTURE if error.retryable is None else error.retryable
            return cls(error.kind, str(error), retryable=may_pass)
        return cls("evaluator", f"{type(error).__name__}: {_text(error)}", _place(error))


@dataclass(frozen=True, slots=True)
class Errored:
    """Nothing was measured, and why."""

    failure: Failure


Result: TypeAlias = Score | Skipped | Errored


@dataclass(frozen=True, slots=True)
class By:
    """Who computed a number: written once an output, referred to by every score.

    Attributes:
        evaluator: the name, as `pack:name`.
        distribution: the Python distribution that holds it.
        version: that distribution's version.
        params: digest of the params, defaults included.
        rung: the sandbox rung that ran the code, and how ("namespaced/bubblewrap"), or "".
        backend: a library or model that decides the value ("sympy 1.13", a judge), or "".
    """

    evaluator: str
    distribution: str
    version: str
    params: str = ""
    rung: str = ""
    backend: str = ""


@dataclass(frozen=True, slots=True)
class ComponentResult:
    """One component's part of a reward; `seconds` is 0.0 when it came from the cache."""

    name: str
    result: Result
    by: By
    cached: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Reward:
    """One rollout's reward; `total` is None when there is no number to train on."""

    id: str
    total: float | None
    gated: bool
    components: tuple[ComponentResult, ...]

    def __getitem__(self, name: str) -> ComponentResult:
        for component in self.components:
            if component.name == name:
                return component
        raise KeyError(name)


def _text(error: BaseException) -> str:
    try:
        return str(error)[:2000]
    except Exception as broken:  # noqa: BLE001 - a stranger's __str__ may raise anything
        return f"its message cannot be shown ({type(broken).__name__})"


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return f"{code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno} in {code.co_name}"
