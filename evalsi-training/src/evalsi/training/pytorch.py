"""Checkpoints of a plain PyTorch loop. The only file that imports torch.

with PyTorchCheckpointHook(evaluator) as hook:
hook.save(model, "checkpoints/step-100.pt", 100, optimizer=optimizer)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsi.core.durable import publishing_bytes
from evalsi.training.runner import CheckpointRunner, EvaluatesCheckpoints

if TYPE_CHECKING:
    from torch import nn

    from evalsi.training.judging import StepResult

__all__ = ["PyTorchCheckpointHook"]


class PyTorchCheckpointHook:
    """Saves state dictionaries, and has each evaluated beside the training.

    Under DistributedDataParallel it is called on every rank; rank zero saves and evaluates. Of a
    sharded model the caller gathers the full state on rank zero, and passes that.

    Args:
        evaluator: evaluates; its serving strategy must read state dictionaries.
        wait: whether `save` returns when its checkpoint is evaluated.
    """

    def __init__(self, evaluator: EvaluatesCheckpoints, *, wait: bool = False) -> None:
        self._runner = CheckpointRunner(evaluator, wait=wait)

    @property
    def regressed(self) -> bool:
        """As `CheckpointRunner.regressed`; on rank zero alone."""
        return self._runner.regressed

    def stop_reason(self, *, regression: bool) -> str:
        """As `CheckpointRunner.stop_reason`, alike on all ranks, each of which calls it."""
        import torch.distributed as dist

        told = [self._runner.stop_reason(regression=regression)]
        if dist.is_available() and dist.is_initialized():
            dist.broadcast_object_list(told, src=0)
        return told[0]

    @property
    def results(self) -> list[StepResult]:
        """As `CheckpointRunner.results`."""
        return self._runner.results

    def save(
        self, model: nn.Module | Mapping[str, Any], path: str | Path, step: int, **further: Any
    ) -> None:
        """Saves `{"model": …, "step": step, …}`, whole or not at all, and submits it.

        Args:
            model: the model, or its full state.
            path: a path of this step's own.
            step: which.
            further: what else is kept, by name; of an object with a `state_dict`, that.

        Raises:
            FileExistsError: `path` is taken.
            ValueError: the state is sharded: its parts lie on several ranks.
        """
        state = {"model": _state(_unwrapped(model)), "step": step}
        state |= {name: _state(value) for name, value in further.items()}
        _refuse_shards(state["model"])
        if _rank() != 0:
            return
        import torch

        place = Path(path)
        if place.exists():
            raise FileExistsError(f"{place} is there already; give every step a path of its own")
        place.parent.mkdir(parents=True, exist_ok=True)
        with publishing_bytes(place) as file:
            torch.save(state, file)
        self._runner.submit(path, step)

    def close(self) -> None:
        """Returns when everything is evaluated."""
        self._runner.close()

    def __enter__(self) -> PyTorchCheckpointHook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _unwrapped(model: Any) -> Any:
    from torch.nn.parallel import DataParallel, DistributedDataParallel

    return model.module if isinstance(model, DataParallel | DistributedDataParallel) else model


def _state(value: Any) -> Any:
    return value.state_dict() if hasattr(value, "state_dict") else value


def _refuse_shards(state: Any) -> None:
    from torch.distributed.tensor import DTensor

    for name, value in state.items() if isinstance(state, Mapping) else ():
        if isinstance(value, DTensor) or type(value).__name__ == "ShardedTensor":
            raise ValueError(
                f"{name} is a part of a sharded model; gather the full state on rank zero first "
                f"(torch.distributed.checkpoint.state_dict.get_model_state_dict with "
                f"full_state_dict=True), and pass that instead of the model"
            )


def _rank() -> int:
    import torch.distributed as dist

    ready = dist.is_available() and dist.is_initialized()
    return dist.get_rank() if ready else 0
