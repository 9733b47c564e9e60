"""The conformance kit of an evaluator: what every evaluator promises, each promise by itself.

    for finding in check_evaluator(Shout, examples=[{"completion": "HELLO"}]):
        print(finding.check, finding.message)

With pytest, one test a promise: `parametrize("check", evaluator_checks(), ids=lambda c: c.name)`
and `check.run(EvaluatorTrial.of(Shout))`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from evalsi.core.testing.checks import Check, Finding, run_checks
from evalsi.core.testing.evaluator_answers import ANSWERS
from evalsi.core.testing.evaluator_bombs import BOMBS
from evalsi.core.testing.evaluator_claims import CLAIMS
from evalsi.core.testing.evaluator_judge import JUDGES
from evalsi.core.testing.evaluator_trial import EvaluatorTrial
from evalsi.core.testing.evaluator_workers import WORKERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalsi.core.evaluator import Tools
    from evalsi.core.records import Rollout
    from evalsi.core.results import JSON

__all__ = ["EvaluatorTrial", "check_evaluator", "evaluator_checks"]

_NO_GAPS: Final[Mapping[str, str]] = MappingProxyType({})


def check_evaluator(  # noqa: PLR0913 - keyword-only options
    evaluator: object,
    params: Mapping[str, JSON] | None = None,
    examples: Sequence[Rollout] = (),
    *,
    known_gaps: Mapping[str, str] = _NO_GAPS,
    tools: Tools | None = None,
    deadline_s: float = 30.0,
) -> list[Finding]:
    """Tries every promise of an evaluator; an empty list is a pass.

    Whatever it does, this returns: it runs in child processes that are killed at the deadline.

    Args:
        evaluator: its class, or the name under which it is installed.
        params: its params, as a spec would state them.
        examples: rollouts that it must be able to answer; one sum with a reference by default.
        known_gaps: reasons by check name for promises that it does not keep.
        tools: what it is constructed with; by default what the engine gives.
        deadline_s: seconds that one answer may take here.
    """
    trial = EvaluatorTrial.of(evaluator, params, examples, tools=tools, deadline_s=deadline_s)
    return run_checks(evaluator_checks(), trial, known_gaps)


def evaluator_checks() -> list[Check[EvaluatorTrial]]:
    """Every check, the cheap ones first."""
    return [*CLAIMS, *ANSWERS, *WORKERS, *JUDGES, *BOMBS]
