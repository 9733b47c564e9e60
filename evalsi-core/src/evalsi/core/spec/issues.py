"""Reasons to refuse a spec: where in it, and a sentence that says what mends it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, TypeAlias

from evalsi.core.results import JSON

__all__ = ["Issue", "Mark", "Path", "did_you_mean", "dotted", "listed", "shown"]

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list places from the top of the document: `("spec", "components", 2, "weight")`."""

_PLAIN_KEY: Final = re.compile(r"[\w-]+")
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text; line and column count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Issue:
    """One reason to refuse a spec.

    Attributes:
        path: what is wrong.
        message: goes on after the path: `is "x"; it must be a number`, or `: a sentence`.
        at_key: whether the key at `path` is wrong, rather than its value.
        cause: the exception behind it, to chain from.
    """

    path: Path
    message: str
    at_key: bool = False
    cause: BaseException | None = None


def dotted(path: Path) -> str:
    """A path as people write it: `spec.components[2].weight`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f"[{shown(part)}]"
    return text


def shown(value: JSON) -> str:
    """A value as a spec would hold it, cut to one short line."""
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def listed(words: Iterable[str]) -> str:
    """`a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def did_you_mean(word: object, options: Iterable[str]) -> str:
    """` did you mean "weight"?`, or nothing when no option is close."""
    close = get_close_matches(word, list(options), 1) if isinstance(word, str) else []
    return f' did you mean "{close[0]}"?' if close else ""
