"""The examples are specs that load, and say what the documentation says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalsi.core.reward import load_reward

FINETUNING = Path(__file__).parents[1] / "examples" / "finetuning"
REWARDS = ("code-reward.yaml", "math-reward.yaml")
# No loader for the kind EvalRun is here yet; until it is, these are held to be YAML of the
# published shape.
RUNS = ("forgetting.yaml", "safety-regression.yaml", "sampling.yaml")


def read(name: str) -> Any:
    return yaml.safe_load((FINETUNING / name).read_text("utf-8"))


def test_every_spec_is_one_of_those_that_are_checked() -> None:
    assert sorted(path.name for path in FINETUNING.glob("*.yaml")) == sorted([*REWARDS, *RUNS])


@pytest.mark.parametrize("name", REWARDS)
def test_a_reward_spec_loads(name: str) -> None:
    assert load_reward(FINETUNING / name).__name__ == read(name)["metadata"]["name"]


@pytest.mark.parametrize("name", [*REWARDS, *RUNS])
def test_a_spec_is_named_and_versioned(name: str) -> None:
    spec = read(name)
    assert spec["apiVersion"] == "evals.si/v1alpha1"
    assert spec["kind"] == ("RewardSpec" if name in REWARDS else "EvalRun")
    assert spec["metadata"]["name"]


@pytest.mark.parametrize(
    ("name", "dataset", "evaluators"),
    [
        ("forgetting.yaml", "uri", ["math-equiv"]),
        ("safety-regression.yaml", "path", ["refusal", "harmlessness"]),
        ("sampling.yaml", "uri", ["math-equiv", "diversity"]),
    ],
    ids=RUNS,
)
def test_a_run_names_target_data_and_evaluators(
    name: str, dataset: str, evaluators: list[str]
) -> None:
    spec = read(name)["spec"]
    assert spec["target"]["connector"] == "openai-compatible"
    assert dataset in spec["dataset"]
    assert [evaluator["ref"] for evaluator in spec["evaluators"]] == evaluators


def test_the_rollouts_score_as_the_readme_says() -> None:
    lines = (FINETUNING / "rollouts.jsonl").read_text("utf-8").splitlines()
    rewards = load_reward(FINETUNING / "code-reward.yaml").score(map(json.loads, lines))
    assert [(reward.id, reward.total, reward.gated) for reward in rewards] == [
        ("r1", 1.0, False),
        ("r2", 0.55, False),
        ("r3", 0.0, True),
    ]
