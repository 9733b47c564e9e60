"""Adapters loaded into a server that answers as vLLM's recorded routes do."""

import logging
import re

import pytest
from lora_server import LoRAServer, adapter
from serving_kit import answer
from training_kit import QUESTIONS, spec

from evalsi.training import CheckpointEvaluator, LoRA, ServingError
from evalsi.training.testing import ServingTrial, check_serving


@pytest.fixture
def lora_server():
    with LoRAServer() as made:
        yield made


@pytest.fixture
def lora(lora_server):
    return LoRA(lora_server.base_url)


def failure(lora, checkpoint):
    with pytest.raises(ServingError) as caught, lora.serve(checkpoint, "run-1"):
        pytest.fail("it was served")
    return str(caught.value)


def test_an_adapter_is_there_for_the_block_alone(tmp_path, lora_server, lora):
    path = adapter(tmp_path / "checkpoint-1", knows=["q1"])

    with lora.serve(path, "run-1") as served:
        assert lora_server.loaded == {served.model: path}
        assert (answer(served, "q1"), answer(served, "q2")) == ("q1", "no")

    assert lora_server.loaded == {}


def test_a_name_never_comes_again(tmp_path, lora_server, lora):
    path = adapter(tmp_path / "checkpoint-1")
    for _ in range(2):
        with lora.serve(path, "run-1"):
            pass

    first, second = lora_server.names
    assert first != second
    assert first.startswith("run-1-")


@pytest.mark.parametrize("named", ["base", "/models/base"])
def test_the_base_is_the_unadapted_model(lora_server, lora, named):
    with lora.serve(named, "run-base") as served:
        assert (served.model, lora_server.names) == ("base", [])


def test_a_model_that_the_server_does_not_have_is_told_with_those_that_it_has(lora):
    assert "does not serve Qwen/Qwen3-8B, which is no adapter; it has base" in failure(
        lora, "Qwen/Qwen3-8B"
    )


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("off", "loads no adapters; start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPD"),
        ("remote", "No adapter found.*must see the checkpoint's folder under the same path"),
        ("unlisted", "does not list .*checkpoint-1 as run-1-"),
        ("mixed-up", "does not list .*checkpoint-1 as run-1-"),
        ("broken", "answers 500 for run-1-.*EngineCore encountered"),
    ],
)
def test_a_server_that_does_not_serve_an_adapter_is_told(tmp_path, lora_server, lora, fault, told):
    lora_server.fault = fault

    found = failure(lora, adapter(tmp_path / "checkpoint-1"))

    assert re.search(told, found), found
    assert lora_server.loaded == {}


def test_a_rank_that_is_too_large_is_told_with_its_mend(tmp_path, lora):
    found = failure(lora, adapter(tmp_path / "checkpoint-1", rank=32))

    assert "LoRA rank 32 is greater than max_lora_rank 16" in found
    assert found.endswith("start vLLM with a larger --max-lora-rank")


def test_a_name_that_is_taken_is_told(tmp_path, lora_server, lora, monkeypatch):
    from evalsi.training.serving import lora as module

    monkeypatch.setattr(module.os, "urandom", lambda size: b"\0" * size)
    path = adapter(tmp_path / "checkpoint-1")
    with lora.serve(path, "run-1"):
        pass

    assert "400" in (found := failure(lora, path))
    assert "already been loaded" in found


def test_an_adapter_that_is_not_unloaded_is_warned_of_and_costs_no_result(
    tmp_path, lora_server, lora, caplog
):
    path = adapter(tmp_path / "checkpoint-1", knows=["q1"])
    with caplog.at_level(logging.WARNING), lora.serve(path, "run-1") as served:
        lora_server.fault = "unloading"

    assert f"the adapter {served.model} was not unloaded: 500" in caplog.text


def test_a_server_that_was_started_anew_meanwhile_is_an_error(tmp_path, lora_server, lora):
    path = adapter(tmp_path / "checkpoint-1")

    with pytest.raises(ServingError, match="does not list"), lora.serve(path, "run-1"):
        lora_server.loaded.clear()


def test_a_server_that_is_not_there_is_told():
    assert "does not tell its models" in failure(LoRA("http://127.0.0.1:9/v1"), "base")


def test_one_server_evaluates_the_base_and_every_step(tmp_path, lora_server, lora):
    lora_server.knows["base"] = set(QUESTIONS[:20])
    evaluator = CheckpointEvaluator(
        spec(tmp_path / "spec.json"), training_run="run", serving=lora, log_dir=tmp_path / "logs"
    )

    evaluator.evaluate_base("base")
    evaluator.evaluate(adapter(tmp_path / "checkpoint-1", QUESTIONS[:30]), 1)
    evaluator.evaluate(adapter(tmp_path / "checkpoint-2", QUESTIONS[:5]), 2)

    means = [result.summaries["right"]["mean"] for result in evaluator.history()]
    assert means == [0.5, 0.75, 0.125]


def test_it_keeps_every_promise_of_a_strategy(tmp_path, lora):
    trial = ServingTrial(
        lora,
        adapter(tmp_path / "checkpoint-1", ["q1"]),
        adapter(tmp_path / "checkpoint-2"),
        question="q1",
    )

    assert check_serving(trial) == []


def test_what_a_kill_left_loaded_is_unloaded_and_no_other(tmp_path, lora_server, lora):
    path = adapter(tmp_path / "checkpoint-1")
    others = {"run-1": path, "run-10-00c0ffee": path, "run-1-00c0ffed": "/elsewhere"}
    lora_server.loaded = {"run-1-00c0ffee": path, **others}

    with lora.serve(path, "run-1") as served:
        assert lora_server.loaded == {served.model: path, **others}
