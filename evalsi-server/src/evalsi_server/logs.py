"""What a person reads on standard error; a failure that repeats is told once a minute."""

from __future__ import annotations

import logging
import sys
import time
from typing import Final

__all__ = ["LOG", "Repeats", "show_logs", "shown"]

LOG: Final = logging.getLogger("evalsi.server")

_WINDOW_S: Final = 60.0
_MOST: Final = 100
"""Failures that are told in a minute."""

_LONGEST: Final = 2000


class Repeats:
    """Tells each failure once a minute: a trainer tries again whatever the answer was."""

    def __init__(self) -> None:
        self._begun = -_WINDOW_S
        self._told: set[tuple[str, str]] = set()
        self._held = 0

    def warn(self, what: str, why: str) -> None:
        """Logs a failure, or counts it where it was told already."""
        now = time.monotonic()
        if now - self._begun > _WINDOW_S:
            if self._held:
                LOG.warning("failures like those above, not told one by one: %d", self._held)
            self._begun, self._held = now, 0
            self._told.clear()
        if (what, why) in self._told or len(self._told) >= _MOST:
            self._held += 1
            return
        self._told.add((what, why))
        LOG.warning("%s: %s", shown(what), shown(why))


def shown(text: str) -> str:
    """A text of a client or a model as a log may hold it: no line of it passes for another's."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    lines = ("".join(map(_visible, line)) for line in cut.split("\n"))
    return "\n    ".join(lines)


def _visible(letter: str) -> str:
    return letter if letter.isprintable() else ascii(letter)[1:-1]


def show_logs() -> None:
    """Sends our log, and the HTTP library's warnings, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(message)s"))
    for name, level in (("evalsi", logging.INFO), ("uvicorn", logging.WARNING)):
        log = logging.getLogger(name)
        log.addHandler(handler)
        log.setLevel(level)
        log.propagate = False
