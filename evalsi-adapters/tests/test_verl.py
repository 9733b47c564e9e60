"""verl's custom reward function: one table of numbers for every rollout, or an error."""

import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from by_path import executed
from row_fakes.evaluators import Served

from evalsi.core import DataError, RewardError, SpecError
from evalsi.rewards import verl
from evalsi.rewards.verl import compute_score, compute_score_batch

RIGHT = {"ref": "rows:is-right", "name": "right"}
TURNS = {"ref": "rows:turns", "name": "turns", "weight": 0}
RAISES = {"components": [RIGHT, TURNS]}
NONE = {**RAISES, "onError": "none"}
ZERO = {**RAISES, "onError": "zero"}


def scored(solution, ground_truth="42", extra_info=None, **kwargs):
    settings = {"spec": RAISES, **kwargs}
    return compute_score("gsm8k", solution, ground_truth, extra_info, **settings)


def test_the_total_is_the_score_and_every_component_stands_beside_it():
    assert scored("42", extra_info={"num_turns": 3}) == {"score": 1.0, "right": 1.0, "turns": 3.0}


def test_it_takes_the_keywords_of_verl_and_of_its_reward_model():
    found = compute_score(
        data_source="gsm8k",
        solution_str="41",
        ground_truth="42",
        extra_info={"num_turns": 1},
        spec=RAISES,
        reward_router_address="localhost:1",
        reward_model_tokenizer=object(),
    )
    assert found == {"score": 0.0, "right": 0.0, "turns": 1.0}


@pytest.mark.parametrize("spec", [NONE, ZERO], ids=["none", "zero"])
@pytest.mark.parametrize("solution", ["42", "41", "away"])
def test_keys_and_types_are_the_same_for_every_rollout(spec, solution):
    found = scored(solution, extra_info={"num_turns": 1}, spec=spec, missing=-2)
    assert list(found) == ["score", "right", "turns"]
    assert {type(value) for value in found.values()} == {float}


def test_what_was_skipped_is_nan():
    assert math.isnan(scored("42")["turns"])


def test_an_errored_component_raises_with_its_cause():
    with pytest.raises(RewardError, match="rollout 9, component right: no rung is usable"):
        scored("away", extra_info={"index": 9})


def test_its_error_pickles_so_that_ray_can_hand_it_on():
    with pytest.raises(RewardError) as caught:
        scored("away")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_missing_total_is_an_error_that_names_the_choice():
    with pytest.raises(RewardError, match="set `missing` to the number") as caught:
        scored("away", spec=NONE)
    assert "no rung is usable" in str(caught.value)


def test_a_missing_total_is_the_number_that_the_user_chose():
    found = scored("away", extra_info={"num_turns": 2}, spec=NONE, missing=-0.5)
    assert (found["score"], found["turns"]) == (-0.5, 2.0)
    assert math.isnan(found["right"])


def test_a_rollout_to_which_nothing_applies_has_no_total_either():
    with pytest.raises(RewardError, match="no component applied"):
        scored("42", ground_truth=None, spec={"components": [RIGHT]})


@pytest.mark.parametrize("name", ["score", "reward", "uid", "extra_info", "data_source"])
def test_a_name_that_verl_uses_is_refused(name):
    with pytest.raises(SpecError, match=f"under the name {name};"):
        scored("42", spec={"components": [{**RIGHT, "name": name}]})


def test_acc_and_pred_are_names_as_any_other():
    spec = {"components": [{**RIGHT, "name": "acc"}, {**TURNS, "name": "pred"}]}
    assert scored("42", extra_info={"num_turns": 1}, spec=spec)["acc"] == 1.0


def test_an_unknown_setting_is_refused_with_the_known_ones():
    with pytest.raises(DataError, match=r"holds mising, .* known: spec, server, missing"):
        scored("42", mising=0)


def test_a_batch_gives_what_single_calls_give():
    solutions, truths = ["42", "41", "42"], ["42", "42", None]
    infos = [{"num_turns": 1}, None, {"num_turns": 2}]
    batch = compute_score_batch(["s"] * 3, solutions, truths, infos, spec=RAISES)
    single = [
        compute_score("s", *row, spec=RAISES)
        for row in zip(solutions[:2], truths[:2], infos[:2], strict=True)
    ]
    assert repr(batch[:2]) == repr(single)
    assert math.isnan(batch[2]["right"])


def test_a_batch_without_extra_info_is_scored():
    assert compute_score_batch(["s"], ["42"], ["42"], None, spec=RAISES)[0]["score"] == 1.0


def test_a_batch_names_every_cause():
    with pytest.raises(RewardError) as caught:
        compute_score_batch(["s"] * 3, ["away", "42", "away"], ["42"] * 3, [{}] * 3, spec=RAISES)
    assert [row for row, _, _ in caught.value.causes] == ["1", "3"]


def test_lists_of_a_batch_are_as_long_as_each_other():
    with pytest.raises(DataError, match="differ in number: 1, 2, 1, 1"):
        compute_score_batch(["s"], ["a", "b"], ["c"], [{}], spec=RAISES)


def test_a_copy_loaded_by_path_gives_the_same_and_loads_nothing_again(monkeypatch):
    scored("42")
    monkeypatch.setattr("evalsi.rewards.loaded.load_reward", None)
    copy = executed(verl, "custom_module_-123")
    assert copy.compute_score("s", "42", "42", {"num_turns": 1}, spec=RAISES)["score"] == 1.0


def test_many_threads_may_call_it_at_once():
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda n: scored(str(n % 3), "1")["score"], range(300)))
    assert found == [float(n % 3 == 1) for n in range(300)]


def test_calls_of_many_threads_go_together_where_the_evaluator_batches():
    spec = {"components": ["rows:served"]}
    scored("0", spec=spec)
    Served.asked.clear()
    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(lambda n: scored(str(n), spec=spec)["score"], range(1, 65)))
    assert found == [float(n) for n in range(1, 65)]
    assert len(Served.asked) < 10


class Limited:
    """A stand-in for verl's manager that makes 0 of exceptions, known by its module's name."""

    def __init__(self, name):
        space = {"__name__": name}
        exec("def call(function): return function()", space)
        self.call = space["call"]


def test_under_the_manager_that_makes_0_of_errors_no_number_is_returned(caplog):
    limited = Limited("verl.experimental.reward_loop.reward_manager.limited")
    assert limited.call(lambda: scored("away")) == {"score": None}
    assert "no rung is usable" in caplog.text


def test_under_any_other_manager_it_raises():
    naive = Limited("verl.experimental.reward_loop.reward_manager.naive")
    with pytest.raises(RewardError):
        naive.call(lambda: scored("away"))
