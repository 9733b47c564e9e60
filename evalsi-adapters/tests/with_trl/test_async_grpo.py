"""AsyncGRPO's own rollout worker: functions pickled into a spawned process, one call a group.

vLLM does not run here, so a stub answers in its place with the tokens of known completions.
"""

from __future__ import annotations

import os
from inspect import signature
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

import pytest
from accelerate import PartialState
from advantages import FLAKY, total
from datasets import Dataset
from lessons import LETTERS, SUM, SUM_WORTH, SUMS, chat
from tiny import tokenizer_of
from training import FINETUNING
from trl.experimental.async_grpo import async_rollout_worker as worker_module
from vllm_stub import CompletionServer

from evalsi.core.reward import load_reward
from evalsi.rewards.trl import reward_funcs

ASKED = signature(worker_module._AsyncRolloutLoop.__init__).parameters  # older ones ask for less
FAKES = str(Path(__file__).parents[1] / "fakes")


@pytest.fixture(autouse=True)
def _a_trainers_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "is_vllm_available", lambda **_: True)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([FAKES, os.environ.get("PYTHONPATH", "")]))
    PartialState()  # which a trainer makes, and the worker's log asks for


def scored(functions: list[Any], said: tuple[str, ...], groups: int) -> list[Any]:
    """The worker's samples: each group holds every completion once."""
    tokenizer = tokenizer_of([SUM, *said], template="qwen3")
    answers = [[*tokenizer(one)["input_ids"], tokenizer.eos_token_id] for one in said]
    with CompletionServer(answers) as server:
        worker = worker_module.AsyncRolloutWorker(
            model_name="tiny",
            dataset=Dataset.from_list([{"prompt": chat(SUM), "answer": "42"}] * 8),
            reward_funcs=functions,
            processing_class=tokenizer,
            **({"eos_token_ids": [tokenizer.eos_token_id]} if "eos_token_ids" in ASKED else {}),
            num_generations=len(said),
            max_inflight_tasks=len(said),
            vllm_server_url=server.url,
        )
        try:
            worker.start()
            return [worker.rollout_buffer.get(timeout=120) for _ in range(groups * len(said))]
        finally:
            worker.stop()


def test_the_total_is_added_once_and_a_loaded_reward_beside_it() -> None:
    spec = FINETUNING / "math-reward.yaml"
    functions, _ = reward_funcs(spec)
    samples = scored([*functions, load_reward(spec)], SUMS, groups=2)
    found = sorted(sample.metrics["reward"] for sample in samples)
    assert found == pytest.approx(sorted([2 * worth for worth in SUM_WORTH.values()] * 2))


def test_rows_without_a_total_have_advantage_0_and_leave_the_baseline_alone() -> None:
    functions, _ = reward_funcs(FLAKY)
    samples = scored(functions, LETTERS, groups=1)
    worths = [one for one in map(total, LETTERS) if one is not None]
    for sample in samples:
        worth = total(sample.completion[-1]["content"])
        wanted = 0.0 if worth is None else (worth - mean(worths)) / pstdev(worths)
        assert sample.advantage == pytest.approx(wanted, abs=1e-5)
