"""The part of `regex-match` that runs in a worker process: one match of Python's `re`."""

from __future__ import annotations

import re
from typing import TypedDict

__all__ = ["Question", "matched"]

_SHOWN = 500


class Question(TypedDict):
    """What is matched: plain data."""

    pattern: str
    flags: int
    whole: bool
    text: str


def matched(question: Question) -> str | None:
    """The start of what matched, or None."""
    pattern = re.compile(question["pattern"], question["flags"])
    match = pattern.fullmatch if question["whole"] else pattern.search
    found = match(question["text"])
    return None if found is None else found.group()[:_SHOWN]
