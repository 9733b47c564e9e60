"""OpenRLHF's reward file: one answer in one shape, or an error that the log shows."""

import logging
import math
import sys

import pytest
from by_path import executed

from evalsi.core import DataError, RewardError, SpecError
from evalsi.rewards import loaded as room
from evalsi.rewards import openrlhf
from evalsi.rewards.openrlhf import reward_func

SPEC = """
apiVersion: evals.si/v1alpha1
kind: RewardSpec
metadata: {name: gym}
spec:
  components:
    - {ref: rows:is-right, name: right}
    - {ref: rows:turns, name: turns, weight: 0}
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "_held", {})
    monkeypatch.delenv("EVALSI_REWARD_MISSING", raising=False)
    path = tmp_path / "reward.yaml"
    monkeypatch.setenv("EVALSI_REWARD_SPEC", str(path))

    def write(text=SPEC):
        path.write_text(text)

    write()
    return write


@pytest.fixture
def without_torch(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)


def test_the_completion_is_the_query_behind_its_prompt(write, without_torch):
    answer = reward_func(["Q: 42"], ["Q: "], ["42"])
    assert (answer["rewards"], answer["scores"]) == ([1.0], [1.0])
    assert answer["extra_logs"]["right"] == [1.0]


def test_special_tokens_around_it_are_no_part_of_it(write, without_torch):
    query = "<|begin_of_text|>Q: 42<|eot_id|>"
    assert reward_func([query], ["Q: "], ["42"])["rewards"] == [1.0]


def test_the_components_are_the_same_lists_for_every_rollout(write, without_torch):
    logs = reward_func(["41"], [""], ["42"])["extra_logs"]
    assert list(logs) == ["right", "turns"]
    assert math.isnan(logs["turns"][0])


def test_a_label_that_is_a_json_object_is_a_row(write, without_torch):
    answer = reward_func(["42"], [""], ['{"answer": "42", "num_turns": 3}'])
    assert answer["extra_logs"] == {"right": [1.0], "turns": [3.0]}


def test_several_rollouts_are_one_batch(write, without_torch):
    assert reward_func(["1", "2"], ["", ""], ["1", "1"])["rewards"] == [1.0, 0.0]


def test_an_outage_raises_and_is_an_error_in_the_log(write, caplog):
    with caplog.at_level(logging.ERROR, "evalsi.rewards"), pytest.raises(RewardError):
        reward_func(["away"], [""], ["42"])
    (line,) = caplog.messages
    assert line.startswith("evalsi gives no reward, and OpenRLHF will end the run: ")
    assert "component right: no rung is usable" in line


def test_a_missing_total_raises_unless_the_environment_names_a_number(
    write, without_torch, monkeypatch
):
    write(SPEC + "  onError: none\n")
    with pytest.raises(RewardError, match="set `missing`"):
        reward_func(["away"], [""], ["42"])
    monkeypatch.setenv("EVALSI_REWARD_MISSING", "-1")
    assert reward_func(["away"], [""], ["42"])["rewards"] == [-1.0]


def test_without_a_spec_the_error_names_the_variable(write, monkeypatch):
    monkeypatch.delenv("EVALSI_REWARD_SPEC")
    with pytest.raises(SpecError, match="EVALSI_REWARD_SPEC"):
        reward_func(["42"], [""], ["42"])


def test_lists_of_different_lengths_are_refused(write):
    with pytest.raises(DataError, match="2 queries, 1 prompts and 1 labels"):
        reward_func(["1", "2"], [""], [""])


@pytest.mark.parametrize("name", ["reward", "score", "response_clip_ratio", "kl"])
def test_a_name_that_openrlhf_logs_is_refused(write, name):
    write(SPEC.replace("name: right", f"name: {name}"))
    with pytest.raises(SpecError, match=f"under the name {name};"):
        reward_func(["1"], [""], ["1"])


def test_a_copy_loaded_by_path_gives_the_same_answer(write, without_torch):
    copy = executed(openrlhf, "reward_func")
    assert copy.reward_func(["1"], [""], ["1"])["rewards"] == [1.0]


def test_a_spec_that_is_refused_ends_the_start(write):
    write(SPEC.replace("rows:turns", "rows:turn"))
    with pytest.raises(SpecError, match="turns"):
        executed(openrlhf, "reward_func")


def test_an_import_as_a_module_loads_no_spec(write):
    write("no spec")
    assert executed(openrlhf, "evalsi_rewards_openrlhf_again").reward_func
