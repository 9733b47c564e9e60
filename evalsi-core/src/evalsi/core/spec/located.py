"""A message with the line of a spec that it is about; a key that was written there is not shown."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Sequence
from typing import Final

from evalsi.core.spec.issues import Mark

__all__ = ["located"]

_WINDOW: Final = 100
_SECRETS: Final = (
    re.compile(r"(?P<before>://)(?P<secret>[^\s/@\"']+)(?=@)"),
    re.compile(r"(?i)(?P<before>[?&]\w{0,40}(?:key|token|secret)=)(?P<secret>[^\s&\"']+)"),
    re.compile(
        r"(?i)(?P<before>(?:api_?key|authorization|password|secret|token)[\"']?\s{0,9}:\s{0,9}[\"']?)"
        r"(?P<secret>[^\s\"',}][^\"',}]*)"
    ),
)
"""A spec with a key in it is refused, and messages end in the logs of other machines."""


def located(path: pathlib.Path | None, lines: Sequence[str], mark: Mark, text: str) -> str:
    """A message with its place, the line, and a caret under the column."""
    line = _masked(lines[mark.line - 1]) if mark.line <= len(lines) else ""
    start = max(0, mark.column - 1 - _WINDOW // 2) if len(line) > _WINDOW else 0
    cut = line[start : start + _WINDOW]
    pad = "".join("\t" if sign == "\t" else " " for sign in cut[: mark.column - 1 - start])
    number = f"{mark.line:5d}"
    return (
        f"{path or '<spec>'}:{mark.line}:{mark.column}: {text}\n"
        f"{number} | {cut}\n{' ' * len(number)} | {pad}^"
    )


def _masked(line: str) -> str:
    """The line with stars in the place of keys, as long as before."""
    for secret in _SECRETS:
        line = secret.sub(lambda found: found["before"] + "*" * len(found["secret"]), line)
    return line
