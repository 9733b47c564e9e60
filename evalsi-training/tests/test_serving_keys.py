"""Servers that want a key: every request carries it, and nothing that is said or kept holds it."""

import logging
from pathlib import Path

import pytest
from lora_server import LoRAServer, adapter
from serving_kit import answer, descendants, model, played
from training_kit import QUESTIONS, spec

from evalsi.core import SpecError
from evalsi.training import VLLM, CheckpointEvaluator, Endpoint, LoRA, ServingError

KEY = "sk-a-key-of-ours"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("SERVER_KEY", KEY)


@pytest.fixture
def lora_server():
    with LoRAServer() as made:
        made.key = KEY
        yield made


def evaluator(tmp_path, serving):
    return CheckpointEvaluator(
        spec(tmp_path / "spec.json"), training_run="run", serving=serving, log_dir=tmp_path / "logs"
    )


def kept(tmp_path):
    return [path for path in (tmp_path / "logs").rglob("*") if path.is_file()]


def failure(strategy, checkpoint):
    with pytest.raises(ServingError) as caught, strategy.serve(checkpoint, "run-1"):
        pass
    return str(caught.value)


def test_adapters_are_loaded_asked_and_unloaded_with_it(tmp_path, lora_server):
    path = adapter(tmp_path / "checkpoint-1", knows=QUESTIONS[:30])
    made = evaluator(tmp_path, LoRA(lora_server.base_url, api_key_env="SERVER_KEY"))

    made.evaluate_base("base")
    result = made.evaluate(path, 1)

    assert (result.error, result.summaries["right"]["mean"]) == ("", 0.75)
    assert len(lora_server.names) == 1
    assert lora_server.loaded == {}


def test_an_endpoint_is_asked_with_it(tmp_path, server):
    server.key, server.knows = KEY, {"m": set(QUESTIONS)}
    made = evaluator(tmp_path, Endpoint(server.base_url, "m", api_key_env="SERVER_KEY"))

    assert made.evaluate("checkpoint-1", 1).summaries["right"]["mean"] == 1


@pytest.mark.parametrize("told", ["SERVER_KEY", None], ids=["named", "vllms-own"])
def test_a_vllm_of_ours_wants_it_and_shows_it_in_no_command_line(tmp_path, monkeypatch, told):
    monkeypatch.setenv("VLLM_API_KEY", "sk-another" if told else KEY)

    with played("good", api_key_env=told).serve(str(model(tmp_path)), "run-1") as served:
        assert answer(served) == "yes"
        shown = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in descendants()]

    assert any(b"played_server" in line for line in shown)
    assert not any(KEY.encode() in line for line in shown)


def test_without_it_a_server_that_wants_one_is_told_with_the_mend(tmp_path, lora_server):
    path = adapter(tmp_path / "checkpoint-1")

    for checkpoint in (path, "base"):
        assert "--api-key-env" in failure(LoRA(lora_server.base_url), checkpoint)


def test_neither_errors_nor_logs_nor_results_hold_it(tmp_path, lora_server, caplog):
    caplog.set_level(logging.DEBUG)
    lora_server.key = "sk-another"
    made = evaluator(tmp_path, LoRA(lora_server.base_url, api_key_env="SERVER_KEY"))

    told = made.evaluate(adapter(tmp_path / "checkpoint-1"), 1).error

    assert "Unauthorized: ***" in told
    assert KEY not in caplog.text
    assert kept(tmp_path)
    assert not any(KEY.encode() in path.read_bytes() for path in kept(tmp_path))


def test_the_last_words_of_a_server_do_not_hold_it(tmp_path):
    told = failure(played("says-its-key", api_key_env="SERVER_KEY"), str(model(tmp_path)))

    assert "ValueError: *** is no key" in told


@pytest.mark.parametrize(
    "options",
    [
        {"args": ["--api-key", KEY]},
        {"args": [f"--api-key={KEY}"]},
        {"args": [f"--api_key={KEY}"]},
        {"env": {"VLLM_API_KEY": KEY}},
    ],
    ids=["two-words", "one-word", "underscored", "environment"],
)
def test_a_key_itself_is_refused_without_being_shown(options):
    with pytest.raises(SpecError, match="api_key_env") as caught:
        VLLM(**options)

    assert KEY not in str(caught.value)


def test_a_variable_that_is_not_set_is_named(tmp_path, lora_server):
    path = adapter(tmp_path / "checkpoint-1")

    with (
        pytest.raises(SpecError, match="no MISSING_KEY"),
        LoRA(lora_server.base_url, api_key_env="MISSING_KEY").serve(path, "run-1"),
    ):
        pass
