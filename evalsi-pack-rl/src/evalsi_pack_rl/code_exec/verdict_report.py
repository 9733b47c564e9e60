"""What a score says about its cases: a reason in a line, and evidence for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from evalsi.core.results import JSON
    from evalsi_pack_rl.code_exec.verdict import CaseResult

__all__ = ["evidence", "reason"]

_SHOWN: Final = 16  # with their excerpts they fit in what a component may keep


def reason(results: Sequence[CaseResult], cases: int, every: int, seed: int) -> str:
    """Why the score is what it is; empty when every case passed and none was left out.

    Args:
        results: of the cases that ran.
        cases: how many were to run.
        every: how many the rollout has.
        seed: what chose them.
    """
    passed = sum(result.passed for result in results)
    if passed == every:
        return ""
    text = f"{passed} of {cases} cases passed"
    failed = next(((n, r) for n, r in enumerate(results, 1) if not r.passed), None)
    if failed:
        text += f"; case {failed[0]}: {failed[1].verdict}"
    if len(results) < cases:
        text += f"; stopped after {len(results)}"
    if cases < every:
        text += f"; {cases} of {every} cases were chosen by seed {seed}"
    return text


def evidence(results: Sequence[CaseResult], cases: int, memory: str) -> JSON:
    """The verdicts counted, and the first cases in full: those that failed go before.

    Args:
        results: of the cases that ran.
        cases: how many were to run.
        memory: what holds the cap, as in `Jail.enforced`.
    """
    numbered = list(enumerate(results, 1))
    ranked = sorted(numbered, key=lambda item: item[1].passed)[:_SHOWN]
    told: dict[str, JSON] = {
        "passed": sum(result.passed for result in results),
        "cases": cases,
        "verdicts": dict(Counter(result.verdict for result in results)),
        "results": [{"case": n, **result.evidence()} for n, result in sorted(ranked)],
    }
    if any(result.integrity == "weak" for result in results):
        told["integrity"] = "weak"
    if memory == "per-process":
        told["memory"] = "capped for each process, not for the case: no writable cgroup"
    return told
