"""What of a completion counts as its answer: what follows the thinking."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["UNCLOSED", "AnswerParams", "answer_of", "excerpt"]

UNCLOSED: Final = "unclosed-thinking"
"""Reason code of a completion that ends while it thinks: it has no answer."""

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"
_EXCERPT: Final = 200


class AnswerParams(BaseModel):
    """What of the completion is looked at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    thinking: Literal["drop", "keep"] = Field(
        default="drop",
        description="Whether only what follows the last `</think>` is looked at, or all of it.",
    )


def answer_of(output: str, thinking: Literal["drop", "keep"]) -> str | None:
    """The answer in a completion; None when its thinking is dropped and does not end.

    A `<think>` in the middle of an answer is text: thinking opens at the start of a completion, or
    right behind earlier thinking.
    """
    if thinking == "keep":
        return output
    tail = output[at + len(_CLOSE) :] if (at := output.rfind(_CLOSE)) >= 0 else output
    return None if tail.lstrip().startswith(_OPEN) else tail


def excerpt(text: str) -> str:
    """The start of a text, for evidence."""
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"
