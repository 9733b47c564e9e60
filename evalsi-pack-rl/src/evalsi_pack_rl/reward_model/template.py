"""The one text that a reward model reads, made of a prompt and a completion."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["PLAIN", "Template"]

PLAIN: Final = "{prompt}{completion}"

_PLACES: Final = re.compile(r"(\{prompt\}|\{completion\})")


class Template:
    """Text with `{completion}` once and `{prompt}` at most once, before it; other braces are text.

    Args:
        text: as a spec states it.

    Raises:
        ValueError: the places are not as said.
    """

    def __init__(self, text: str) -> None:
        parts = _PLACES.split(text)
        places = parts[1::2]
        if places == ["{completion}"]:
            parts = ["", "", *parts]
        elif places != ["{prompt}", "{completion}"]:
            raise ValueError("it must hold {completion} once, and may hold {prompt} once before it")
        self._before, self._has_prompt, self._between, _, self._behind = parts

    def opening(self, prompt: str) -> str:
        """What stands before the completion."""
        return f"{self._before}{prompt if self._has_prompt else ''}{self._between}"

    def text(self, prompt: str, completion: str) -> str:
        """The whole text. What prompt and completion hold is never read as a place."""
        return f"{self.opening(prompt)}{completion}{self._behind}"
