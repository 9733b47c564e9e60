"""What the pupils know: each prompt has several answers, of which each comes about as often."""

from __future__ import annotations

from typing import Any

TESTS = [{"input": "2", "output": "4"}, {"input": "7", "output": "14"}]
RIGHT, WRONG, BARE = (
    "```python\nprint(int(input()) * 2)\n```",
    "```python\nprint(int(input()) + 2)\n```",
    "print(int(input()) * 2)",
)
CODE_WORTH = {RIGHT: 1.0, WRONG: 0.55, BARE: 0.0}  # under code-reward.yaml
SUM = "6 * 7?"
SUMS = (
    "<think>Six sevens.</think><answer>42</answer>",
    "The answer is 42.",
    "<think>Six eights.</think><answer>48</answer>",
)
SUM_WORTH = dict(zip(SUMS, (1.1, 1.0, 0.1), strict=True))  # under math-reward.yaml
LETTERS = ("aaaa", "b111", "bb11", "dddd", "c222")  # the flaky verifier is away for "a…" and "c…"


def chat(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def lessons(prompt: Any, answers: tuple[str, ...]) -> list[tuple[Any, str]]:
    return [(prompt, answer) for answer in answers]
