"""`--serve` with the options of each strategy, those of other packs among them."""

import json

import pytest
from click.testing import CliRunner
from training_kit import QUESTIONS, spec

from evalsi.core.cli.root import root


def run(tmp_path, *words):
    path = spec(tmp_path / "spec.json")
    shared = ["-f", str(path), "--training-run", "run", "--log-dir", str(tmp_path / "logs")]
    found = ["checkpoints", "eval", str(tmp_path / "checkpoint-1"), "--step", "1"]
    return CliRunner().invoke(root, [*found, *words, *shared])


def test_a_strategy_of_another_pack_is_taken_by_its_name(tmp_path, server):
    server.knows = {"checkpoint-1": set(QUESTIONS[:30])}

    done = run(tmp_path, "--serve", "named", "--base-url", server.base_url, "--format", "json")

    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["steps"][0]["metrics"]["right"]["mean"] == 0.75


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--serve", "lora"], "--serve lora needs --base-url"),
        (["--serve", "named"], "--serve named needs --base-url"),
        (["--serve", "vllm", "--base-url", "http://x/v1"], "--serve vllm takes no --base-url"),
        (["--serve", "transformers", "--api-key-env", "K"], "takes no --api-key-env"),
        (["--serve", "vllm", "--vllm-arg=--api-key"], "name the environment variable"),
        (["--serve", "transformers", "--model", "m"], "--serve transformers takes no --model"),
        (
            ["--serve", "lora", "--base-url", "http://x/v1", "--vllm-arg", "--seed"],
            "--serve lora takes no --serve-arg",
        ),
        (["--serve", "vlm"], 'no serving is named "vlm"; did you mean "vllm"?'),
    ],
)
def test_options_that_do_not_fit_are_told(tmp_path, words, told):
    done = run(tmp_path, *words)

    assert done.exit_code == 2
    assert told in done.output


def test_further_words_reach_the_command(tmp_path, monkeypatch):
    from evalsi.training import VLLM
    from evalsi.training.cli import options

    made = options._strategy("vllm", {"args": ("--max-model-len", "4096")})

    assert isinstance(made, VLLM)
    assert made._args == ["--max-model-len", "4096"]


def test_a_server_that_does_not_start_is_exit_4(tmp_path):
    (tmp_path / "checkpoint-1").mkdir()
    (tmp_path / "checkpoint-1" / "model.pt").write_bytes(b"")

    done = run(tmp_path, "--serve", "transformers")

    assert done.exit_code == 4
    assert "holds a state dictionary" in done.output
