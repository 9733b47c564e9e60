"""Adapters of a model that learns sums, loaded into one vLLM that runs, and wants a key."""

import json
import os
import subprocess
import sys
from pathlib import Path

import learning
import pytest
import sums
import torch
from peft import LoraConfig, get_peft_model
from serving_kit import FAKES
from transformers import AutoModelForCausalLM
from vllm_kit import vllm

from evalsi.training import LoRA, ServingError
from evalsi.training.serving.asking import get, post
from evalsi.training.testing import ServingTrial, check_serving

KEY = "sk-of-the-sums"
MATRICES = ["q_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def adapted(base, rank):
    model = AutoModelForCausalLM.from_pretrained(base)
    torch.manual_seed(0)
    return get_peft_model(model, LoraConfig(r=rank, lora_alpha=16, target_modules=MATRICES))


@pytest.fixture(scope="module")
def adapters(learnt, tmp_path_factory):
    """A training run of adapters on the base: two that learn, and one that is sabotaged."""
    out = tmp_path_factory.mktemp("adapters")
    words = sums.tokenizer()
    model, batch = adapted(learnt["base"], 8), sums.batch_of(sums.lessons(words))
    shares = {}
    for name, until in (("checkpoint-10", 0.6), ("checkpoint-20", 0.8)):
        sums.learn(model, batch, until)
        model.save_pretrained(out / name)
        shares[name] = sums.right(model, batch)
    sums.sabotage(model)
    model.save_pretrained(out / "checkpoint-30")
    shares["checkpoint-30"] = sums.right(model, batch)
    adapted(learnt["base"], 32).save_pretrained(out / "large")
    return out, shares


@pytest.fixture(scope="module")
def served(learnt):
    words = ("--enable-lora", "--max-lora-rank", "8", "--max-loras", "2")
    updating = {"VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUMS_KEY", KEY)
        strategy = vllm(*words, env=updating, api_key_env="SUMS_KEY")
        with strategy.serve(learnt["base"], "sums") as found:
            yield found


def lora(served):
    return LoRA(served.base_url, api_key_env=served.api_key_env)


def models(served):
    return [model["id"] for model in get(f"{served.base_url}/models", key=KEY)["data"]]


def test_one_server_serves_the_base_and_every_step(tmp_path, learnt, adapters, served):
    out, shares = adapters
    made = sums.evaluator_of(tmp_path, lora(served))

    made.evaluate_base("sums")
    results = [made.evaluate(out / name, int(name.partition("-")[2])) for name in shares]

    means = [result.summaries["right"]["mean"] for result in made.history()]
    assert means == pytest.approx([learnt.shares["base"], *shares.values()], abs=0.05)
    assert [result.regressed for result in results] == [False, False, True]
    assert models(served) == ["sums"]


def test_a_sabotaged_adapter_is_flagged_and_training_stops_at_the_next_step(
    tmp_path, learnt, served
):
    evaluator = sums.evaluator_of(tmp_path, lora(served))
    model = adapted(learnt["base"], 8)

    evaluator.evaluate_base("sums")
    ended = learning.train(model, sums.tokenizer(), evaluator, tmp_path / "out")

    learning.check(evaluator, ended)
    assert models(served) == ["sums"]


def test_the_base_is_also_known_by_the_folder_that_the_server_was_started_with(learnt, served):
    with lora(served).serve(learnt["base"], "sums-base") as found:
        assert found.model == "sums"


def test_without_its_key_the_server_refuses_and_is_told_with_the_mend(adapters, served):
    out, _ = adapters

    for checkpoint in (str(out / "checkpoint-10"), "sums"):
        with (
            pytest.raises(ServingError, match=r"401.*--api-key-env"),
            LoRA(served.base_url).serve(checkpoint, "sums-1"),
        ):
            pass


def test_a_rank_that_is_too_large_is_told_with_the_mend(adapters, served):
    out, _ = adapters

    with (
        pytest.raises(ServingError, match=r"rank 32 is greater.*start vLLM with a larger"),
        lora(served).serve(str(out / "large"), "sums-1"),
    ):
        pass
    assert models(served) == ["sums"]


def test_a_folder_that_the_server_does_not_see_is_told(adapters, served, monkeypatch):
    from evalsi.training.serving import lora as module

    out, _ = adapters
    monkeypatch.setattr(module, "model_at", lambda checkpoint: "/nowhere/checkpoint-1")

    with (
        pytest.raises(ServingError, match="under the same path"),
        lora(served).serve(str(out / "checkpoint-10"), "sums-1"),
    ):
        pass


def test_what_a_kill_left_loaded_is_unloaded(adapters, served):
    path = str(adapters[0] / "checkpoint-10")
    left = {"lora_name": "sums-7-00c0ffee", "lora_path": path}
    assert post(f"{served.base_url}/load_lora_adapter", left, key=KEY)[0] == 200

    with lora(served).serve(path, "sums-7") as found:
        assert models(served) == ["sums", found.model]


def test_it_keeps_every_promise_of_a_strategy(adapters, served):
    out, _ = adapters
    trial = ServingTrial(lora(served), str(out / "checkpoint-20"), str(out / "checkpoint-30"))

    assert check_serving(trial) == []


def test_the_command_line_watches_adapters(tmp_path, adapters, served):
    out, _ = adapters
    words = ["checkpoints", "watch", str(out), "--serve", "lora", "--base-url", served.base_url]
    words += ["--once", "--settle", "0", "--base", "sums", "--regression", "right:0.1"]
    words += ["--api-key-env", "SUMS_KEY"]
    words += ["-f", str(sums.spec_of(tmp_path / "spec.json")), "--training-run", "sums"]

    done = subprocess.run(
        [Path(sys.executable).with_name("evalsi"), *words, "--format", "json"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(FAKES)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 3, done.stderr
    steps = json.loads(done.stdout)["steps"]
    assert [step["step"] for step in steps] == ["base", 10, 20, 30]
    assert steps[-1]["status"] == "regressed"
