"""The order in which a run's evaluators work: who reads the result of another comes after it.

An evaluator reads such a result by a metadata key, `metadata.@math-equiv`: value, reason and
evidence of the use of that name, absent where it gave no score.
"""

from __future__ import annotations

from collections.abc import Sequence

from evalsi.core.results import JSON, Score
from evalsi.core.spec.bound import Bound
from evalsi.core.spec.issues import Issue, did_you_mean

__all__ = ["finding", "reads_of", "stage_issues", "stages_of"]


def reads_of(bound: Bound) -> frozenset[str]:
    """The names of the uses whose results an evaluator reads."""
    return frozenset(key[1:] for key in bound.metadata or () if key.startswith("@"))


def stages_of(bounds: Sequence[Bound]) -> list[list[Bound]]:
    """The evaluators in stages; each stage reads results of earlier stages only."""
    stages: list[list[Bound]] = []
    waiting, done = list(bounds), set[str]()
    while waiting:
        ready = [bound for bound in waiting if reads_of(bound) <= done]
        if not ready:
            ready = waiting  # a circle; `stage_issues` refuses it
        stages.append(ready)
        done |= {bound.name for bound in ready}
        waiting = [bound for bound in waiting if bound.name not in done]
    return stages


def stage_issues(bounds: Sequence[Bound]) -> list[Issue]:
    """An issue for each evaluator that reads a result which is not there before it."""
    names = [bound.name for bound in bounds]
    issues = []
    before: set[str] = set()
    for stage in stages_of(bounds):
        for bound in stage:
            for name in sorted(reads_of(bound) - before):
                told = "reads this one's result too" if name in names else "is not in this spec"
                hint = "" if name in names else did_you_mean(name, names)
                message = f": {bound.name} reads the result of {name!r}, which {told}"
                issues.append(Issue(("spec", "evaluators"), message + (hint and ";" + hint)))
        before |= {bound.name for bound in stage}
    return issues


def finding(score: Score) -> JSON:
    """What a later evaluator sees of a score."""
    return {"value": score.value, "reason": score.reason, "evidence": score.evidence}
