"""OpenRLHF's contract: queries to rollouts, rewards to numbers, and labels that are rows."""

import json
import math

import pytest

from evalsi.core.errors import DataError, RewardError
from evalsi.core.results import By, ComponentResult, Errored, Failure, Reward, Score, Skipped
from evalsi.core.reward.labels import row_of_label
from evalsi.core.reward.missing import parsed, total_or
from evalsi.core.reward.openrlhf import answer_of, rollout_of

BY = By("fakes:says", "fakes", "1.0")
AWAY = Failure("sandbox", "no usable rung", retryable=True)


def reward(total, **results):
    parts = [ComponentResult(name, result, BY) for name, result in results.items()]
    return Reward("7", total, gated=False, components=tuple(parts))


@pytest.mark.parametrize(
    ("query", "prompt", "completion"),
    [
        ("Q: 4", "Q: ", "4"),
        ("Q: 4", None, "Q: 4"),
        ("Q: 4", "", "Q: 4"),
        ("4", "Q: ", "4"),
        ("Q: ", "Q: ", ""),
        ("<s>Q: 4", "Q: ", "4"),
        ("<|begin_of_text|><|im_start|>Q: 4", "Q: ", "4"),
        ("<s> Q: 4", "Q: ", "4"),
        ("<s>Q: 4 Q: 5", "Q: ", "4 Q: 5"),
        ("<s><s>Q: 4", "<s>Q: ", "4"),
        ("Q: Q", "Q: Q", ""),
        ("Q: QQ", "Q: Q", "Q"),
        ("4", " ", "4"),
        ("Hear: Q: 4", "Q: ", "Hear: Q: 4"),
        ("Q: 4 Q: 5", "Q: ", "4 Q: 5"),
    ],
)
def test_the_completion_is_what_follows_the_prompt(query, prompt, completion):
    assert rollout_of(query, prompt, None)["completion"] == completion


@pytest.mark.parametrize(
    ("query", "prompt"),
    [
        ("Q:4", "Q: "),
        ("q: it is \\boxed{3}. A: 4", "Q: it is \\boxed{3}. A: "),
        ("<s>\u00e9? 4", "e\u0301? "),
        ("Q: 4", "<s>Q:  "),
    ],
    ids=["white space", "case", "composed", "a token that is not there"],
)
def test_a_prompt_that_comes_back_changed_is_never_taken_for_the_models_words(query, prompt):
    with pytest.raises(DataError, match="begins with its prompt in other letters"):
        rollout_of(query, prompt, None)


@pytest.mark.parametrize(
    "end",
    [
        "</s>",
        "<|im_end|>",
        "<|eot_id|>",
        "<eos>",
        "<end_of_turn>",
        "<\uff5cend\u2581of\u2581sentence\uff5c>",
        "<pad>",
    ],
)
def test_special_tokens_behind_the_completion_are_no_part_of_it(end):
    assert rollout_of(f"4{end}", None, None)["completion"] == "4"
    assert rollout_of(f"4 \n{end}\n{end}{end}", None, None)["completion"] == "4 \n"
    assert rollout_of(f"Q{end}", f"Q{end}", None)["completion"] == ""


@pytest.mark.parametrize(
    "text",
    ["<answer>4</answer>", "a < b", "<|", "||", "<||>", "<|im_end|> so", "x>", "<b>", "<|a b|>"],
)
def test_what_only_looks_like_a_special_token_stays(text):
    assert rollout_of(text, None, None)["completion"] == text


def test_a_long_tail_of_tokens_costs_what_it_weighs():
    assert rollout_of("4" + "<pad>" * 200_000, None, None)["completion"] == "4"


def test_prompt_and_label_reach_the_rollout():
    assert rollout_of("Q4", "Q", "4") == {"prompt": "Q", "completion": "4", "reference": "4"}


def test_a_row_in_the_label_never_stands_in_for_prompt_or_completion():
    label = {"prompt": "P", "completion": "C", "answer": "4"}
    assert rollout_of("Q5", "Q", label) == {"prompt": "Q", "completion": "5", "answer": "4"}


def test_every_component_has_a_number_for_every_reward():
    rewards = [
        reward(1.5, a=Score(1.0), b=Score(0.5)),
        reward(1.0, a=Score(1.0), b=Skipped()),
        reward(0.0, a=Errored(AWAY), b=Score(0.0)),
    ]
    answer = answer_of(["a", "b"], rewards, None)
    assert answer["rewards"] == answer["scores"] == [1.5, 1.0, 0.0]
    assert repr(answer["extra_logs"]) == "{'a': [1.0, 1.0, nan], 'b': [0.5, nan, 0.0]}"


def test_no_rewards_are_empty_lists():
    assert answer_of(["a"], [], None) == {"rewards": [], "scores": [], "extra_logs": {"a": []}}


def test_a_missing_total_is_an_error_that_names_the_cause_and_the_option():
    with pytest.raises(RewardError, match="set `missing`") as caught:
        total_or(reward(None, a=Errored(AWAY)), None)
    assert [(row, name) for row, name, _ in caught.value.causes] == [("7", "a"), ("7", "total")]
    assert {failure.kind for *_, failure in caught.value.causes} == {"sandbox"}


def test_a_rollout_to_which_nothing_applies_is_an_error_of_the_data():
    with pytest.raises(RewardError, match="no component applied to it") as caught:
        total_or(reward(None, a=Skipped()), None)
    assert caught.value.causes[0][2].kind == "data"


@pytest.mark.parametrize("sign", [1, -1])
def test_a_total_that_a_trainer_would_hold_as_infinity_is_an_error(sign):
    assert total_or(reward(sign * 3.4e38), None) == sign * 3.4e38
    with pytest.raises(RewardError, match="becomes infinite"):
        total_or(reward(sign * 1e39), None)


def test_a_number_stands_for_a_missing_total_and_for_no_other():
    assert total_or(reward(None, a=Skipped()), -1.0) == -1.0
    assert total_or(reward(0.0, a=Score(0.0)), -1.0) == 0.0


@pytest.mark.parametrize(
    ("given", "number"),
    [(None, None), ("raise", None), ("0", 0.0), ("-0.5", -0.5), (2, 2.0), (1e-3, 0.001)],
)
def test_missing_is_raise_or_a_finite_number(given, number):
    assert parsed(given) == number


@pytest.mark.parametrize("given", ["", "none", "nan", math.inf, True, [0], 10**400, "1e39"])
def test_missing_is_nothing_else(given):
    with pytest.raises(DataError, match="`missing` is"):
        parsed(given)


@pytest.mark.parametrize("label", [None, ""])
def test_no_label_is_no_reference(label):
    assert row_of_label(label) == {}


@pytest.mark.parametrize("label", ["4", " ", 4, 0, 0.5, ["a"], "{1, 2}", "{", "[1]", False])
def test_a_label_is_the_reference_as_it_is(label):
    assert row_of_label(label) == {"reference": label}
    assert row_of_label(label, "key") == {"key": label}


@pytest.mark.parametrize("form", [dict, json.dumps], ids=["a mapping", "its text"])
def test_a_label_that_is_an_object_is_a_row(form):
    row = {"tests": [{"input": "1"}], "answer": "4"}
    assert row_of_label(form(row)) == row


@pytest.mark.parametrize("form", [dict, json.dumps], ids=["a mapping", "its text"])
def test_a_number_of_tokens_in_a_label_is_another_texts(form):
    row = {"completion_tokens": 9, "completion_ids": [1], "answer": "4"}
    assert row_of_label(form(row)) == {"answer": "4"}


@pytest.mark.parametrize("form", [dict, json.dumps], ids=["a mapping", "its text"])
def test_a_row_without_a_reference_is_the_reference_too(form):
    row = {"tests": [], "answer": None}
    label = form(row)
    assert row_of_label(label) == {**row, "reference": label}
    assert row_of_label(label, "key") == {**row, "key": label}


def test_text_that_nests_too_deep_is_no_row():
    label = "{" + '"a":{' * 100_000
    assert row_of_label(label) == {"reference": label}
