"""The names that checkpoints bear."""

from __future__ import annotations

import functools
import re
from typing import Final

__all__ = ["step_of_folder", "step_of_revision"]

_FOLDER: Final = re.compile(r"(?:checkpoint-|global_step_?|step[-_])(\d{1,18})", re.ASCII)
# Pythia has `step1000`, OLMo `step1000-tokens4B`.
_REVISION: Final = re.compile(
    r"(?:checkpoint-|global_step_?|step[-_]?)(\d{1,18})(?:-tokens\d{1,9}[KMBT]?)?", re.ASCII
)


@functools.lru_cache(maxsize=32768)  # every look asks for the same names again
def step_of_folder(name: str) -> int | None:
    """The step of a folder named `checkpoint-N`, `global_step_N` or `step-N`; else None."""
    match = _FOLDER.fullmatch(name)
    return int(match[1]) if match else None


def step_of_revision(name: str) -> int | None:
    """The step of a branch or tag: as a folder's, and as `stepN` or `stepN-tokensMB`."""
    match = _REVISION.fullmatch(name)
    return int(match[1]) if match else None
