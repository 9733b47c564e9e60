"""Every reward manager that verl's settings can name, in this process, with the real classes."""

import asyncio
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer
from verl.trainer.ppo.metric_utils import process_validation_metrics
from verl.trainer.ppo.reward import load_reward_manager
from verl.workers.reward_manager.batch import BatchRewardManager

from evalsi.core import RewardError
from evalsi.rewards import verl

PACKAGE = "pkg://evalsi.rewards.verl"
FILE = verl.__file__
MANAGERS = ["naive", "dapo", "gdpo", "rate_limited"]


@pytest.fixture
def run(batch, config, tokenizer_path):
    """One call of the manager for each rollout, all at once, as its worker makes them."""
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_path)

    def run(completions, truths, *, path=PACKAGE, manager="naive", infos=None, **kwargs):
        data = batch(completions, truths, infos)

        async def all_at_once():
            made = load_reward_manager(config(path, manager, **kwargs), tokenizer)
            made.loop = asyncio.get_running_loop()
            calls = (made.run_single(data[row : row + 1]) for row in range(len(data)))
            return await asyncio.gather(*calls)

        return asyncio.run(all_at_once())

    return run


@pytest.mark.parametrize("manager", MANAGERS)
@pytest.mark.parametrize("path", [PACKAGE, FILE, f"file://{FILE}"], ids=["package", "path", "url"])
def test_score_and_components_are_what_the_manager_keeps(run, spec, path, manager):
    found = run(["42", "41"], ["42", "42"], path=path, manager=manager, spec=spec())
    assert [row["reward_score"] for row in found] == [1.0, 0.0]
    assert [row["reward_extra_info"]["right"] for row in found] == [1.0, 0.0]
    assert {tuple(row["reward_extra_info"]) for row in found} == {("score", "right", "turns")}


@pytest.mark.parametrize("manager", ["naive", "dapo", "gdpo"])
def test_an_outage_raises_through_the_manager(run, spec, manager):
    with pytest.raises(RewardError, match="component right: no rung is usable"):
        run(["42", "away"], ["42", "42"], manager=manager, spec=spec())


def test_the_manager_that_makes_0_of_errors_is_given_no_number(run, spec):
    right, away = run(["42", "away"], ["42", "42"], manager="rate_limited", spec=spec())
    assert right["reward_score"] == 1.0
    assert away["reward_score"] is None
    assert "error" not in away["reward_extra_info"]


def test_a_total_that_is_missing_is_the_chosen_number_under_the_same_keys(run, spec):
    found = run(["42", "away"], ["42", "42"], spec=spec(onError="none"), missing=-1)
    assert [row["reward_score"] for row in found] == [1.0, -1.0]
    right, away = (row["reward_extra_info"] for row in found)
    assert list(right) == list(away)
    assert math.isnan(away["right"])


def test_ragged_rows_of_arrays_reach_the_verifiers(run, example):
    """A parquet file gives nested columns as arrays of objects, and nulls for absent fields."""
    tests = np.array([{"input": "3\n", "output": "6\n"}], dtype=object)
    asserts = np.array(["assert double(4) == 8"], dtype=object)
    programs = ["print(int(input()) * 2)", "def double(n): return n * 2"]
    found = run(
        [f"```python\n{program}\n```" for program in programs],
        ["", ""],
        infos=[
            {"index": np.int64(0), "tests": tests, "test_list": None},
            {"index": np.int64(1), "tests": None, "test_list": asserts},
        ],
        spec=example("code-reward.yaml"),
    )
    assert [row["reward_score"] for row in found] == [1.0, 1.0]


def test_many_rollouts_at_once_are_scored_as_one_by_one(run, example):
    answers = [str(n) for n in range(200)]
    texts = [f"<think>?</think><answer>{n % 7}</answer>" for n in range(200)]
    found = run(texts, answers, spec=example("math-reward.yaml"))
    expected = [1.1 if n < 7 else 0.1 for n in range(200)]
    assert [row["reward_score"] for row in found] == pytest.approx(expected)


def test_the_older_batch_manager_is_given_a_batch(batch, spec, tokenizer_path):
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_path)
    manager = BatchRewardManager(tokenizer, 0, verl.compute_score_batch, spec=spec())
    found = manager(batch(["42", "41"], ["42", "42"]), return_dict=True)
    assert torch.sum(found["reward_tensor"], dim=-1).tolist() == [1.0, 0.0]
    assert found["reward_extra_info"]["right"] == [1.0, 0.0]


def test_validation_takes_the_table_and_calls_a_component_acc_its_core(run, spec):
    path = Path(spec())
    path.write_text(path.read_text("utf-8").replace("name: right", "name: acc"), "utf-8")
    found = run(["42", "41"], ["42", "42"], spec=str(path))
    tables = [row["reward_extra_info"] for row in found]
    infos = {key: [table[key] for table in tables] for key in tables[0]}
    metrics = process_validation_metrics(["s", "s"], ["u", "u"], infos)
    assert metrics["s"]["acc"]["mean@2"] == 0.5
