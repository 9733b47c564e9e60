"""Judges: models that answer questions about a record, within a schema, or not at all.

Names are imported at first use: an evaluator that asks a judge costs no import of one.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from evalsi.core.errors import JudgeError
from evalsi.core.judge.contract import Judge, Question, Usage, Verdict, prompt_hash
from evalsi.core.judge.fences import fenced

if TYPE_CHECKING:
    from evalsi.core.judge.config import JudgeConfig
    from evalsi.core.judge.find import find_judge
    from evalsi.core.judge.served import ServedJudge

__all__ = [
    "Judge",
    "JudgeConfig",
    "JudgeError",
    "Question",
    "ServedJudge",
    "Usage",
    "Verdict",
    "fenced",
    "find_judge",
    "prompt_hash",
]

_HOMES = {"JudgeConfig": "config", "ServedJudge": "served", "find_judge": "find"}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    return found
