"""GRPO with a tool: a completion is several messages, and what the tool said is not the model's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lessons import SUM, chat
from tiny import tokenizer_of
from training import FINETUNING, Pupil, each, logged, trained, watched
from trl import GRPOTrainer

from evalsi.rewards.trl import reward_funcs

CALL = '<tool_call>\n{"name": "multiply", "arguments": {"a": 6, "b": 7}}\n</tool_call>'
ANSWERS = ("<think>Six sevens.</think><answer>42</answer>", "The answer is 41.")


def multiply(a: int, b: int) -> int:
    """Multiplies two numbers.

    Args:
        a: the first.
        b: the second.
    """
    return a * b


TURNS: list[dict[str, Any]] = [
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"type": "function", "function": {"name": "multiply", "arguments": {"a": 6, "b": 7}}}
        ],
    },
    {"role": "tool", "name": "multiply", "content": "42"},
]


def tool_user() -> Pupil:
    """It calls the tool, then answers rightly or wrongly."""
    asked, told = (rendered(chat(SUM) + turns) for turns in ([], TURNS))
    return Pupil([(asked, CALL), *((told, answer) for answer in ANSWERS)], template="qwen3")


def rendered(messages: list[dict[str, Any]]) -> str:
    text: str = tokenizer_of([], template="qwen3").apply_chat_template(
        messages, tools=[multiply], tokenize=False, add_generation_prompt=True
    )
    return text


def test_the_models_words_are_rewarded_and_the_tools_are_not(tmp_path: Path) -> None:
    functions, weights = reward_funcs(FINETUNING / "math-reward.yaml")
    ran = trained(
        watched(GRPOTrainer),
        tool_user(),
        functions,
        [{"prompt": chat(SUM), "answer": "42"}] * 4,
        tmp_path,
        reward_weights=weights,
        max_completion_length=128,
        per_device_train_batch_size=32,
        tools=[multiply],
    )
    found = dict(each(ran, "rewards"))
    assert found["<answer>42</answer>"] == pytest.approx([1.1, 1.0, 1.0, 0.0])  # thoughts included
    assert found["The answer is 41."] == [0.0, 0.0, 0.0, 0.0]  # though the tool had said 42
    assert logged(ran)["tools/call_frequency"] > 0.0
