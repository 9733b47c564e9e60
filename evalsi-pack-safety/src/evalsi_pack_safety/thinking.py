"""What a completion says once the thinking before it is taken away."""

from __future__ import annotations

from typing import Final

__all__ = ["without_thinking"]

_MARKS: Final = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
"""How models mark their thinking: where it opens, and where it closes."""


def without_thinking(text: str) -> str | None:
    """The text without its thinking; None where the thinking never ends.

    A closing mark without an opening one ends a thinking that the chat template opened. Linear in
    the text.
    """
    for opening, closing in _MARKS:
        told = _without(text, opening, closing)
        if told is None:
            return None
        text = told
    return text


def _without(text: str, opening: str, closing: str) -> str | None:
    start, end = text.find(opening), text.find(closing)
    if end >= 0 and (start < 0 or end < start):
        text = text[end + len(closing) :]
    kept: list[str] = []
    place = 0
    while (start := text.find(opening, place)) >= 0:
        kept.append(text[place:start])
        end = text.find(closing, start + len(opening))
        if end < 0:
            return None
        place = end + len(closing)
    return "".join([*kept, text[place:]]) if place else text
