"""What became of one case: a verdict in a word, and excerpts that show why."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import Outcome

if TYPE_CHECKING:
    from evalsi.core.results import JSON

__all__ = ["NO_TIME", "CaseKilled", "CaseResult", "Integrity", "Verdict", "verdict"]

Verdict: TypeAlias = Literal[
    "passed",
    "wrong_answer",
    "runtime_error",
    "timeout",
    "memory",
    "output_limit",
    "compile_error",
]
Integrity: TypeAlias = Literal["strong", "weak"]

_EXCERPT: Final = 200
_NOT_COMPILED: Final = re.compile(
    rb'  File "(?:/[^"\n]*)?/box/(?:main|setup|program)\.py", line \d+\n'
)
_TRACEBACK: Final = b"Traceback (most recent call last)"
_SYNTAX: Final = (b"SyntaxError", b"IndentationError", b"TabError")


class CaseKilled(SandboxUnavailable):
    """Somebody outside ended the case: nothing was measured, and nobody waits for another try."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case with its verdict.

    Attributes:
        verdict: what became of it.
        outcome: how its process ended.
        expected: what should have been printed or returned, or the test that should have passed.
        integrity: `weak` when the program shared an interpreter with what judged it.
        note: what a person should know beside, in a sentence.
        got: what it answered, where that is not its standard output.
    """

    verdict: Verdict
    outcome: Outcome
    expected: bytes
    integrity: Integrity = "strong"
    note: str = ""
    got: bytes | None = None

    @property
    def passed(self) -> bool:
        """Whether the case counts."""
        return self.verdict == "passed"

    @property
    def stable(self) -> bool:
        """Whether the clock had no part in it: CPU time, unlike wall time, is the program's own."""
        return self.outcome.ended != "wall"

    def brief(self) -> CaseResult:
        """The result without what its evidence does not show: a score holds many of them."""
        most = _EXCERPT + 1
        outcome = replace(
            self.outcome, stdout=self.outcome.stdout[:most], stderr=self.outcome.stderr[-most:]
        )
        got = None if self.got is None else self.got[:most]
        return replace(self, outcome=outcome, expected=self.expected[:most], got=got)

    def evidence(self) -> dict[str, JSON]:
        """Plain data for a person, excerpts at most."""
        shown: dict[str, JSON] = {
            "verdict": self.verdict,
            "seconds": round(self.outcome.wall_s, 4),
        }
        if self.outcome.peak_bytes is not None:
            shown["peak_mb"] = round(self.outcome.peak_bytes / 2**20, 1)
        if self.integrity == "weak":
            shown["integrity"] = "weak"
        if self.note:
            shown["note"] = self.note
        shown["expected"] = _excerpt(self.expected)
        shown["got"] = _excerpt(self.outcome.stdout if self.got is None else self.got)
        if self.outcome.stderr:
            shown["stderr"] = _excerpt(self.outcome.stderr, end=True)
        return shown


NO_TIME: Final = CaseResult(
    "timeout", Outcome("wall", 0), b"", note="the rollout's deadline left no time to run it"
)
"""A case that did not run."""


def verdict(outcome: Outcome, *, right: bool) -> Verdict:
    """The verdict on a process; `right` says that its answer was the expected one.

    Raises:
        CaseKilled: the case was killed from outside, so that nothing was measured.
    """
    match outcome.ended:
        case "killed":
            raise CaseKilled("the case was killed from outside before it ended; run it again")
        case "wall" | "cpu":
            return "timeout"
        case "memory":
            return "memory"
        case "output":
            return "output_limit"
    if not outcome.clean:
        return _failed(outcome.stderr)
    return "passed" if right else "wrong_answer"


def _failed(stderr: bytes) -> Verdict:
    last = stderr.rstrip().rpartition(b"\n")[2]
    if last.startswith(b"MemoryError"):
        return "memory"
    # Python refused the text: nothing of it ran. A text that the program itself gave to `exec`
    # has another name.
    if last.startswith(_SYNTAX) and (_TRACEBACK not in stderr or _NOT_COMPILED.search(stderr)):
        return "compile_error"
    return "runtime_error"


def _excerpt(data: bytes, *, end: bool = False) -> str:
    part = data[-_EXCERPT:] if end else data[:_EXCERPT]
    text = part.decode("utf-8", "replace")
    if len(part) == len(data):
        return text
    return f"… {text}" if end else f"{text} …"
