"""The part of `format-check` that runs in a worker process: one match of Python's `re`."""

from __future__ import annotations

import re

__all__ = ["matches"]


def matches(pattern_and_text: tuple[str, str]) -> bool:
    """Whether the pattern matches the whole text."""
    pattern, text = pattern_and_text
    return re.fullmatch(pattern, text) is not None
