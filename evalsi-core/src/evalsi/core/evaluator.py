"""The contract of an evaluator: a plain class, no base, nothing to import but what it uses.

    class Shout:
        reads = ("output",)

        def score(self, record):
            return record.output.isupper()

`reads`, `needs`, `bounded`, `batch`, `metrics`, `backend` and `patience_s` are values, or static
functions of the params where the params decide (a regular expression that only some engines can
run). What a class leaves out has a safe default: it reads the whole record, needs nothing, and runs
in a process that can be killed. `patience_s` is how many seconds a call may take where the spec
names no deadline; 60 by default. `backend` names the library that decides and its version, as
"sympy 1.14.0": it is written with every number and keys the cache, so that another version does not
answer from it.

Two more are values only. `paths` names params that are files: relative ones start beside the spec,
and their content, not their place, is part of the params' digest. `about` says which records a
metric is about where these are not all, as metadata that they have:
`{"refusal[harmful]": {"kind": "harmful"}}`.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from evalsi.core.evidence import bounded_evidence
from evalsi.core.results import Errored, Failure, Result, Score, Skipped

if TYPE_CHECKING:
    from evalsi.core.judge import Judge
    from evalsi.core.sandbox import PythonFork
    from evalsi.core.workers import Workers

__all__ = [
    "ENTRIES",
    "Answer",
    "Batch",
    "Direction",
    "Need",
    "Sandbox",
    "Tools",
    "to_result",
]

Answer: TypeAlias = float | bool | Score | Skipped | Errored
"""What an evaluator gives for a record; `Errored` where one of a batch could not be measured."""

Direction: TypeAlias = Literal["higher", "lower", "neither"]

ENTRIES: Final = (
    "score",
    "score_batch",
    "score_group",
    "ascore",
    "ascore_batch",
    "ascore_group",
)
"""An evaluator has exactly one of these methods."""


_REASON_CHARACTERS: Final = 500  # of four bytes at most: never more than evidence may be


class Need(enum.Enum):
    """What an evaluator asks of the engine, beside the record."""

    SANDBOX = "sandbox"
    WORKERS = "workers"
    JUDGE = "judge"
    HTTP = "http"


@dataclass(frozen=True, slots=True)
class Batch:
    """How records are put together for `score_batch` and `ascore_batch`.

    Attributes:
        max_records: the most of one call.
        wait_ms: how long the records of one caller wait for those of others, so that they go in
            one call; `ascore_batch` only, as waiting costs a thread elsewhere.
    """

    max_records: int = 64
    wait_ms: float = 0.0


class Sandbox(Protocol):
    """What an evaluator with `Need.SANDBOX` gets: a place where hostile code runs."""

    def python(self) -> PythonFork:
        """Gives the fork of Python on the chosen rung; raises `SandboxUnavailable`."""
        ...

    def remaining_s(self) -> float | None:
        """Seconds until the present call's deadline kills its jails; None without a deadline.

        Who must not turn slow code into an error scores what is left as timed out before.
        """
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """What the engine hands to an evaluator's constructor; a tool not asked for is None.

    Attributes:
        sandbox: for `Need.SANDBOX`.
        workers: for `Need.WORKERS`.
        deadline_s: seconds after which a call's worker process is killed; None where the
            evaluator runs in its caller's process.
        judge: for `Need.JUDGE`; who needs it is async and `bounded`, because it is asked from
            the engine's loop, where what it costs is counted.
    """

    sandbox: Sandbox | None = None
    workers: Workers | None = None
    deadline_s: float | None = None
    judge: Judge | None = None


def to_result(answer: object, metrics: Mapping[str, Direction]) -> Result:
    """The result that an evaluator's answer stands for.

    None, NaN, infinities, undeclared metrics and foreign types are errors of the evaluator, told
    as such: they never become a number.
    """
    if isinstance(answer, bool | int | float):
        return _scored(Score(float(answer)), metrics) if _finite(answer) else _wrong(answer)
    if isinstance(answer, Score):
        return _scored(answer, metrics)
    if isinstance(answer, Skipped):
        return Skipped(_short(answer.reason))
    if isinstance(answer, Errored) and isinstance(answer.failure, Failure):
        return answer
    return _wrong(answer)


def _scored(score: Score, metrics: Mapping[str, Direction]) -> Result:
    if not _finite(score.value):
        return _wrong(score.value)
    for name, value in score.metrics.items():
        if name not in metrics:
            return _error(f"it reported the metric {name!r}, which its class does not declare")
        if not _finite(value):
            return _error(f"its metric {name!r} is {value!r}; a metric is a finite number")
    plain = type(score.value) is float and type(score.reason) is str
    if plain and score.evidence is None and len(score.reason) <= _REASON_CHARACTERS:
        return score
    return Score(
        float(score.value),
        score.metrics,
        _short(score.reason),
        bounded_evidence(score.evidence),
        score.stable,
    )


def _short(reason: object) -> str:
    return str(bounded_evidence(str(reason)))


def _finite(value: object) -> bool:
    try:
        return isinstance(value, bool | int | float) and math.isfinite(value)
    except OverflowError:  # an integer that no float can hold
        return False


def _wrong(answer: object) -> Errored:
    shown = repr(answer) if isinstance(answer, float) else type(answer).__name__
    return _error(f"it answered {shown}; an answer is a finite number, a bool, Score or Skipped")


def _error(message: str) -> Errored:
    return Errored(Failure("evaluator", message))
