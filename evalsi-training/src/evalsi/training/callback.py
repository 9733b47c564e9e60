"""Evaluates every save of a transformers or TRL trainer.

trainer = GRPOTrainer(..., callbacks=[evalsi_callback(evaluator, stop_on_regression=True)])
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsi.training.runner import CheckpointRunner, EvaluatesCheckpoints

if TYPE_CHECKING:
    from transformers import TrainerCallback

__all__ = ["evalsi_callback"]


def evalsi_callback(
    evaluator: EvaluatesCheckpoints | None = None,
    *,
    stop_on_regression: bool = False,
    stop_file: str | Path | None = None,
    wait: bool = False,
) -> TrainerCallback:
    """A callback that evaluates each checkpoint when it is saved, and can stop the training.

    It acts on world rank zero alone: on others a save may be told before it is there. Evaluations
    run beside the training and have ended when `train` returns.

    Args:
        evaluator: evaluates; None: only `stop_file` is looked at.
        stop_on_regression: stop at the next step after a regression is found.
        stop_file: stop at the next step once this file is there, whoever wrote it.
        wait: whether training waits for each evaluation.
    """
    from transformers import TrainerCallback

    runner = None if evaluator is None else CheckpointRunner(evaluator, wait=wait)
    file = None if stop_file is None else Path(stop_file)

    class EvalsiCallback(TrainerCallback):  # type: ignore[misc]
        """What transformers calls."""

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            if runner is not None and state.is_world_process_zero:
                place = Path(args.output_dir) / f"checkpoint-{state.global_step}"
                runner.submit(place, state.global_step)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            stop = False
            if state.is_world_process_zero:
                seen = file is not None and file.exists()
                stop = seen or (stop_on_regression and runner is not None and runner.regressed)
            if _as_rank_zero(stop, args.device):
                control.should_training_stop = True

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            if runner is not None:
                runner.close()

    return EvalsiCallback()


def _as_rank_zero(stop: bool, device: Any) -> bool:
    """What rank zero decided: were it to stop alone, the others would wait for it for ever."""
    import torch
    import torch.distributed as dist

    if not (dist.is_available() and dist.is_initialized()) or dist.get_world_size() == 1:
        return stop
    told = torch.tensor([stop], dtype=torch.int32, device=device)
    dist.broadcast(told, src=0)
    return bool(told.item())
