"""Conformance kits for authors of plugins: small named checks, with and without pytest."""

from __future__ import annotations

from evalsi.core.testing.checks import Check, CheckFailed, Finding
from evalsi.core.testing.evaluator import EvaluatorTrial, check_evaluator, evaluator_checks
from evalsi.core.testing.judge import ScriptedJudge
from evalsi.core.testing.rung import check_rung, rung_checks

__all__ = [
    "Check",
    "CheckFailed",
    "EvaluatorTrial",
    "Finding",
    "ScriptedJudge",
    "check_evaluator",
    "check_rung",
    "evaluator_checks",
    "rung_checks",
]
