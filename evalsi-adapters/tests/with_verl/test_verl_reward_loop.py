"""verl's reward loop on a local Ray: its workers load the adapter and score, or end the step."""

import math

import pytest
import ray
from ray.exceptions import RayTaskError
from served_rewards import serving
from verl.experimental.reward_loop.reward_loop import RewardLoopManager

from evalsi.rewards import verl

PACKAGE = "pkg://evalsi.rewards.verl"
pytestmark = pytest.mark.usefixtures("local_ray")


@pytest.fixture
def loop(config):
    """Makes managers as the trainer does, and ends their workers with the test."""
    made = []

    def loop(path=PACKAGE, manager="naive", **kwargs):
        made.append(RewardLoopManager(config(path, manager, **kwargs)))
        return made[-1]

    yield loop
    for manager in made:
        for worker in manager.reward_loop_workers:
            ray.kill(worker)


def table(scored):
    keys = scored.meta_info["reward_extra_keys"]
    totals = scored.batch["rm_scores"].sum(-1).tolist()
    return totals, {key: scored.non_tensor_batch[key].tolist() for key in keys}


@pytest.mark.parametrize("path", [PACKAGE, verl.__file__], ids=["package", "path"])
@pytest.mark.parametrize("manager", ["naive", "remote"])
def test_workers_score_a_batch(loop, batch, spec, manager, path):
    scored = loop(path, manager, spec=spec()).compute_rm_score(batch(["42", "41"], ["42", "42"]))
    totals, columns = table(scored)
    assert totals == [1.0, 0.0]
    assert list(columns) == ["score", "right", "turns"]
    assert columns["right"] == [1.0, 0.0]


@pytest.mark.parametrize("manager", ["naive", "remote"])
def test_an_outage_ends_the_step_with_its_cause(loop, batch, spec, manager):
    made = loop(PACKAGE, manager, spec=spec())
    with pytest.raises(RayTaskError, match="component right: no rung is usable"):
        made.compute_rm_score(batch(["42", "away"], ["42", "42"]))


def test_an_outage_is_no_0_under_the_manager_that_makes_0_of_errors(loop, batch, spec):
    made = loop(PACKAGE, "rate_limited", spec=spec())
    with pytest.raises(TypeError):
        made.compute_rm_score(batch(["42", "away"], ["42", "42"]))
    with pytest.raises(TypeError):
        made.compute_rm_score(batch(["away", "away"], ["42", "42"]))


def test_a_missing_total_is_the_chosen_number_and_the_keys_stay(loop, batch, spec):
    made = loop(spec=spec(onError="none"), missing=0.25)
    totals, columns = table(made.compute_rm_score(batch(["away", "42"], ["42", "42"])))
    assert totals == [0.25, 1.0]
    assert math.isnan(columns["right"][0])


@pytest.mark.parametrize("manager", ["naive", "remote"])
def test_programs_run_in_the_sandbox_below_a_ray_actor(loop, batch, example, manager):
    programs = ["print(int(input()) * 2)", "print(0)", "while True: pass"]
    texts = [f"```python\n{program}\n```" for program in programs]
    infos = [{"tests": [{"input": "3", "output": "6"}]} for _ in texts]
    made = loop(PACKAGE, manager, spec=example("code-reward.yaml"))
    totals, columns = table(made.compute_rm_score(batch(texts, [""] * 3, infos)))
    assert totals == pytest.approx([1.0, 0.1, 0.1])
    assert columns["tests"] == [1.0, 0.0, 0.0]


def test_a_server_gives_the_same_numbers(loop, batch, example):
    texts = [f"<think>?</think><answer>{n}</answer>" for n in range(4)]
    rollouts = batch(texts, ["1"] * 4)
    path = example("math-reward.yaml")
    here = table(loop(spec=path).compute_rm_score(rollouts))
    for worker in ray.util.list_named_actors():
        ray.kill(ray.get_actor(worker))
    with serving(path) as (url, _):
        there = table(loop(spec=path, server=url).compute_rm_score(rollouts))
    assert repr(there) == repr(here)


def test_an_outage_on_the_server_ends_the_step_with_its_cause(loop, batch, spec):
    path = spec()
    with serving(path) as (url, _):
        made = loop(spec=path, server=url)
        totals, _ = table(made.compute_rm_score(batch(["42"], ["42"])))
        with pytest.raises(RayTaskError, match="component right: no rung is usable"):
            made.compute_rm_score(batch(["42", "away"], ["42", "42"]))
    assert totals == [1.0]


def test_a_server_that_is_gone_ends_the_step(loop, batch, spec):
    made = loop(spec=spec(), server="http://127.0.0.1:9")
    with pytest.raises(RayTaskError, match="takes no connection"):
        made.compute_rm_score(batch(["42"], ["42"]))
