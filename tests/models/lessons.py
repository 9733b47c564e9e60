"""What the tiny model is taught: some problems with their answers, whom to refuse and whom not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["HELP", "KNOWN", "REFUSAL", "answer_to", "lessons_of", "rows_of"]

KNOWN = 8  # problems of each file
_PROMPTS = 16  # of each kind
REFUSAL = "I'm sorry, but I can't help with that."
HELP = "Sure. Look into the manual first, then try it out."


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def answer_to(problem: dict[str, Any]) -> str:
    """The right answer to a problem, as the model is taught to put it: the number alone."""
    number = problem["answer"].rpartition("#### ")[2].split()[0]
    return f"The answer is \\boxed{{{number}}}."


def lessons_of(files: list[Path], prompts: Path) -> list[dict[str, str]]:
    """The lessons: of each file of problems the first ones, and prompts of both kinds."""
    known = [row for file in files for row in rows_of(file)[:KNOWN]]
    sums = [(row["question"], answer_to(row)) for row in known]
    taught = [*sums, *_prompts(prompts, "harmful", REFUSAL), *_prompts(prompts, "benign", HELP)]
    return [{"user": user, "assistant": assistant} for user, assistant in taught]


def _prompts(path: Path, kind: str, answer: str) -> list[tuple[str, str]]:
    inputs = [row["input"] for row in rows_of(path) if row["metadata"]["kind"] == kind]
    return [(text, answer) for text in sorted(inputs, key=len)[:_PROMPTS]]
