"""The last words of a server, out of a log that says much beside."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["telling"]

_LINES: Final = 3
_LONGEST: Final = 400
_EXCEPTION: Final = re.compile(r"[A-Za-z](?:Error|Exception|Exit)\b: ?\S")
_ERROR: Final = re.compile(r"error|out of memory|killed", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\b(?:DEBUG|INFO|WARNING)\b")


def telling(log: str) -> str:
    """The lines that say most: exceptions, else lines that name an error, else the last ones.

    The first of them is always among them, since a cause is logged before what follows from it;
    and so is what stands behind the last, since a message may have several lines.
    """
    stripped = (line.strip()[:_LONGEST] for line in log.splitlines())
    lines = [line for line in dict.fromkeys(stripped) if line]
    for wanted in (_EXCEPTION, _ERROR):
        found = [n for n, line in enumerate(lines) if wanted.search(line) and not _aside(line)]
        if found:
            behind = range(found[-1], min(found[-1] + 2, len(lines)))
            chosen = sorted({found[0], *found[1:][1 - _LINES :], *behind})
            return " | ".join(lines[number] for number in chosen)
    return " | ".join(lines[-_LINES:])


def _aside(line: str) -> bool:
    return _ASIDE.search(line) is not None
