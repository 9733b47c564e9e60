"""Every checkpoint judged while a model trains: evaluated, kept, and compared with its base."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalsi.training.gates import RegressionGate
from evalsi.training.serving import (
    VLLM,
    Endpoint,
    LoRA,
    Served,
    ServingError,
    ServingStrategy,
    Transformers,
)

if TYPE_CHECKING:
    from evalsi.training.curve import Curve
    from evalsi.training.evaluator import CheckpointEvaluator
    from evalsi.training.judging import StepResult
    from evalsi.training.lightning import lightning_checkpoint_callback
    from evalsi.training.pytorch import PyTorchCheckpointHook
    from evalsi.training.runner import CheckpointRunner
    from evalsi.training.stopping import Monitor
    from evalsi.training.verl import verl_checkpoint_callback

__all__ = [
    "VLLM",
    "CheckpointEvaluator",
    "CheckpointRunner",
    "Curve",
    "Endpoint",
    "LoRA",
    "Monitor",
    "PyTorchCheckpointHook",
    "RegressionGate",
    "Served",
    "ServingError",
    "ServingStrategy",
    "StepResult",
    "Transformers",
    "lightning_checkpoint_callback",
    "verl_checkpoint_callback",
]

_HOMES = {
    "CheckpointEvaluator": "evaluator",
    "CheckpointRunner": "runner",
    "Curve": "curve",
    "Monitor": "stopping",
    "PyTorchCheckpointHook": "pytorch",
    "StepResult": "judging",
    "lightning_checkpoint_callback": "lightning",
    "verl_checkpoint_callback": "verl",
}


def __getattr__(name: str) -> Any:
    """What stands on numpy is imported at its first use."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
