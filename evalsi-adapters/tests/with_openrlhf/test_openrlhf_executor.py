"""OpenRLHF's executor and generator with the file and with the server: the same, or no number."""

import logging
from types import SimpleNamespace

import pytest
import torch
from openrlhf.trainer.ppo_utils.experience import Experience
from openrlhf.trainer.ppo_utils.experience_maker import RemoteExperienceMaker
from openrlhf.utils import agent
from served_rewards import serving

from evalsi.rewards.openrlhf import reward_func

CODE = '{"tests": [{"input": "3", "output": "6"}]}'


def log_of(experience):
    """What is logged, flat: over HTTP every list has one dimension more, as from its own server."""
    return {name: value.flatten().tolist() for name, value in experience.info.items()}


@pytest.fixture
def told(caplog, monkeypatch):
    """What OpenRLHF's own logger says, which does not reach the root."""
    monkeypatch.setattr(agent.logger, "propagate", True)
    monkeypatch.setattr(logging.getLogger("openrlhf"), "propagate", True)
    caplog.set_level(logging.INFO)
    return caplog


def test_the_file_gives_rewards_scores_and_components(experiences, spec):
    right, wrong = experiences(["42", "41"], ["42", "42"])
    assert (right.rewards.tolist(), right.scores.tolist()) == ([1.0], [1.0])
    assert (wrong.rewards.tolist(), wrong.scores.tolist()) == ([0.0], [0.0])
    assert log_of(right)["right"] == [1.0]
    assert list(log_of(right)) == list(log_of(wrong))


def test_rewards_have_the_shape_that_statistics_are_made_of(experiences, spec):
    merged = Experience.concat_experiences(experiences(["42", "41"], ["42", "42"]), 0)
    assert merged.rewards.shape == (2,)
    assert merged.info["right"].tolist() == [1.0, 0.0]


def test_programs_are_tested_by_what_the_label_holds(experiences, example):
    example("code-reward.yaml")
    programs = ["print(int(input()) * 2)", "print(0)"]
    texts = [f"```python\n{program}\n```" for program in programs]
    found = experiences(texts, [CODE] * 2)
    assert [one.rewards.item() for one in found] == pytest.approx([1.0, 0.1])


def test_special_tokens_of_the_query_cost_no_layout(experiences, example):
    """The query ends with `<|im_end|>`; verl and TRL hand over completions without it."""
    example("math-reward.yaml")
    (found,) = experiences(["<think>?</think><answer>7</answer>"], ["7"], prompt="<|begin|>Q: ")
    assert found.rewards.item() == pytest.approx(1.1)


def test_many_rollouts_at_once_are_scored_each_by_itself(experiences, example):
    example("math-reward.yaml")
    found = experiences([f"<answer>{n % 5}</answer>" for n in range(100)], ["3"] * 100)
    assert [one.info["correct"].item() for one in found] == [float(n % 5 == 3) for n in range(100)]


def test_an_outage_leaves_the_rollout_without_a_number_and_is_in_both_logs(experiences, spec, told):
    right, away = experiences(["42", "away"], ["42", "42"])
    assert right.rewards.tolist() == [1.0]
    assert away.rewards is None
    cause = "component right: no rung is usable"
    assert any(cause in line for line in told.messages if line.startswith("evalsi gives no"))
    assert any(cause in line for line in told.messages if "Failed to fetch reward" in line)


@pytest.mark.parametrize("texts", [["away", "42"], ["42", "away"]], ids=["first", "later"])
def test_a_batch_with_such_a_rollout_is_not_trained_on(experiences, spec, texts):
    found = experiences(texts, ["42", "42"])
    maker = RemoteExperienceMaker.__new__(RemoteExperienceMaker)
    maker.reward_model_group = None
    maker.tokenizer = SimpleNamespace(pad_token_id=0)
    maker.args = SimpleNamespace(
        train=SimpleNamespace(dynamic_batch_enable=False),
        rollout=SimpleNamespace(micro_batch_size=2),
        ds=SimpleNamespace(ring_attn_size=1, tensor_parallel_size=1),
    )
    maker.strategy = SimpleNamespace(args=maker.args)
    with pytest.raises((ValueError, AttributeError)):
        maker.make_experience(maker.split_rollout_samples(found))


def test_the_server_gives_the_same_numbers_as_the_file(experiences, example):
    path = example("math-reward.yaml")
    texts = [f"<think>?</think><answer>{n}</answer>" for n in range(8)]
    here = experiences(texts, ["3"] * 8)
    with serving(path) as (url, _):
        there = experiences(texts, ["3"] * 8, url=f"{url}/get_reward")
    assert [one.rewards.item() for one in there] == [one.rewards.item() for one in here]
    assert repr([log_of(one) for one in there]) == repr([log_of(one) for one in here])


def test_an_outage_on_the_server_leaves_no_number_either(experiences, spec, told):
    with serving(spec) as (url, _):
        right, away = experiences(["42", "away"], ["42", "42"], url=f"{url}/get_reward")
    assert right.rewards.item() == 1.0
    assert away.rewards is None
    assert any("Request error for 5 times" in line for line in told.messages)


def test_a_server_that_is_gone_leaves_no_number(experiences, spec):
    with serving(spec) as (url, kill):
        kill()
        (found,) = experiences(["42"], ["42"], url=f"{url}/get_reward")
    assert found.rewards is None


def test_older_releases_concatenate_what_calls_return(spec):
    """`update_samples_with_rewards` of 0.8.5 to 0.9.0."""
    calls = [reward_func(["42"], [""], ["42"]), reward_func(["1", "2"], ["", ""], ["1", "1"])]
    assert torch.cat([call["rewards"] for call in calls]).tolist() == [1.0, 1.0, 0.0]
    assert torch.cat([call["extra_logs"]["right"] for call in calls]).tolist() == [1.0, 1.0, 0.0]
