"""The connector `transformers` where something is wrong: errors with a cause, and never a 0."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from asking import asked, failed
from lessons import answer_to, rows_of

from evalsi.core.chat import Output, Request, ServerError
from evalsi.core.connectors.transformers.params import Settled


def test_a_bad_prompt_costs_its_batch_mates_nothing(
    settled: Callable[..., Settled], problems: Path
) -> None:
    problem = rows_of(problems)[0]
    bad = Request("a\ud800b"), Request("", [{"role": "user", "content": {"x": 1}}]), "long " * 2000
    surrogate, content, overlong, good = asked(settled(), *bad, problem["question"])
    assert "cannot be put to the model" in failed(surrogate, "refused")
    assert isinstance(content, Output | ServerError)
    assert "the model's context 1024" in failed(overlong, "refused")
    assert good.text == answer_to(problem)


def test_an_output_that_takes_too_long_is_an_error(
    settled: Callable[..., Settled], endless: Path
) -> None:
    (found,) = asked(
        settled(model=str(endless), max_tokens=None, timeout_s=0.05), "Tell me a long story."
    )
    assert "no whole output within 0.05 s" in failed(found, "timeout")
    assert found.retryable


@pytest.mark.parametrize(
    ("kept", "words"),
    [(lambda name: "layers.1" not in name, "lack"), (lambda name: False, "lack")],
    ids=["a layer", "all"],
)
def test_weights_that_are_not_all_there_do_not_load(
    settled: Callable[..., Settled], model: Path, tmp_path: Path, kept: Any, words: str
) -> None:
    """The library fills the holes with random numbers, and only warns."""
    folder = changed(model, tmp_path, lambda name, one: one if kept(name) else None)
    first, second = asked(settled(model=str(folder), batch_size=1), "Hi.", "Ho.")
    assert "did not load" in failed(first, "server")
    assert words in str(second)


def test_scores_that_are_no_numbers_are_an_error(
    settled: Callable[..., Settled], model: Path, tmp_path: Path
) -> None:
    folder = changed(model, tmp_path, lambda name, one: one * float("nan"))
    for sampling in ({}, {"temperature": 1.0}):
        (found,) = asked(settled(model=str(folder), **sampling), "Hi.")
        assert "NaN" in failed(found, "malformed")


def changed(model: Path, folder: Path, change: Callable[[str, Any], Any]) -> Path:
    """A copy of the model with other weights."""
    copy = Path(shutil.copytree(model, folder / "changed"))
    weights = safetensors.torch.load_file(copy / "model.safetensors")
    changed = {name: change(name, one) for name, one in weights.items()}
    kept = {name: one.contiguous() for name, one in changed.items() if one is not None}
    safetensors.torch.save_file(kept, copy / "model.safetensors", {"format": "pt"})
    return copy


@pytest.mark.parametrize(("room", "batches"), [(2, [4, 2, 2]), (0, [4, 2, 1, 1, 2, 1, 1])])
def test_what_does_not_fit_into_memory_is_asked_in_halves(
    settled: Callable[..., Settled], room: int, batches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import Qwen2ForCausalLM

    seen, generate = [], Qwen2ForCausalLM.generate

    def limited(self: Any, ids: Any, **options: Any) -> Any:
        seen.append(len(ids))
        if len(ids) > room:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return generate(self, ids, **options)

    monkeypatch.setattr(Qwen2ForCausalLM, "generate", limited)
    found = asked(settled(), "a", "b", "c", "d")
    assert seen == batches
    if room:
        assert all(isinstance(one, Output) for one in found)
    else:
        assert all("out of memory" in failed(one, "server") for one in found)


def test_a_model_without_a_chat_template_says_what_to_set(
    settled: Callable[..., Settled], model: Path, tmp_path: Path
) -> None:
    bare = Path(shutil.copytree(model, tmp_path / "bare"))
    (bare / "chat_template.jinja").unlink()
    (refused,) = asked(settled(model=str(bare)), "Hi.")
    assert "set `api: completions`" in failed(refused, "refused")
    (plain,) = asked(settled(model=str(bare), api="completions"), "Hi.")
    assert plain.input_tokens < 5
