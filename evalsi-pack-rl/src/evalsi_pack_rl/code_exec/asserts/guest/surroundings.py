"""What a test changes around the program: patched names of modules, standard input."""

from __future__ import annotations

import importlib
import io
from typing import Any

GONE = ["gone"]


class Surroundings:
    """Sets and restores names of modules in the candidate's process."""

    def __init__(self) -> None:
        self._own: dict[tuple[str, str], Any] = {}

    def mirror(self, changes: list[tuple[str, str, Any]]) -> None:
        """Makes names stand for what they stand for in the test; `...` restores."""
        for module, name, value in changes:
            home = importlib.import_module(module)
            own = self._own.setdefault((module, name), getattr(home, name, None))
            setattr(home, name, own if value is ... else value)


def text_input(text: str, at: int) -> io.StringIO:
    """A file of text that was made in the test."""
    made = io.StringIO(text)
    made.seek(at)
    return made
