"""The verifier keeps every promise, and a spec can use it. Needs the pack installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalsi.core.reward import load_reward
from evalsi.core.testing import Check, EvaluatorTrial, evaluator_checks

SPEC = Path(__file__).parents[1] / "reward.yaml"
EXAMPLES = [{"completion": "a few words"}, {"completion": "word " * 101}]


@pytest.mark.parametrize("check", evaluator_checks(), ids=lambda check: check.name)
def test_brief_keeps_its_promises(check: Check[EvaluatorTrial]) -> None:
    check.run(EvaluatorTrial.of("acme:brief", examples=EXAMPLES))


@pytest.mark.parametrize(
    ("completion", "total", "gated"),
    [("so \\boxed{4}", 1.0, False), ("so " * 200 + "\\boxed{4}", 0.0, True)],
    ids=["brief", "long"],
)
def test_a_spec_uses_it_beside_ours(completion: str, total: float, gated: bool) -> None:
    (reward,) = load_reward(SPEC).score([{"completion": completion, "answer": "4"}])

    assert (reward.total, reward.gated) == (total, gated)
