"""The contract and the engine of evalsi; the names that a pack's author needs.

Importing this costs nothing: no plugin, no pydantic, no process.
"""

from __future__ import annotations

from evalsi.core.errors import (
    DataError,
    EvalsiError,
    PluginError,
    RewardError,
    SandboxUnavailable,
    SpecError,
)
from evalsi.core.evaluator import Answer, Batch, Need, Tools
from evalsi.core.records import Record
from evalsi.core.results import (
    JSON,
    By,
    ComponentResult,
    Errored,
    Failure,
    Result,
    Reward,
    Score,
    Skipped,
)

__all__ = [
    "JSON",
    "Answer",
    "Batch",
    "By",
    "ComponentResult",
    "DataError",
    "Errored",
    "EvalsiError",
    "Failure",
    "Need",
    "PluginError",
    "Record",
    "Result",
    "Reward",
    "RewardError",
    "SandboxUnavailable",
    "Score",
    "Skipped",
    "SpecError",
    "Tools",
]
