"""Evaluates every save of a transformers or TRL trainer.

trainer = GRPOTrainer(..., callbacks=[evalsi_callback(evaluator, stop_on_regression=True)])
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evalsi.training.runner import CheckpointRunner, EvaluatesCheckpoints
from evalsi.training.trackers.outbox import Outbox
from evalsi.training.trackers.relaying import Relay, reported_to

if TYPE_CHECKING:
    from transformers import TrainerCallback

__all__ = ["evalsi_callback"]

_LOG: Final = logging.getLogger(__name__)


def evalsi_callback(  # noqa: PLR0913 - keyword-only options
    evaluator: EvaluatesCheckpoints | None = None,
    *,
    stop_on_regression: bool = False,
    stop_file: str | Path | None = None,
    wait: bool = False,
    relay: bool = True,
    outbox: Outbox | None = None,
) -> TrainerCallback:
    """A callback that evaluates each checkpoint when it is saved, and can stop the training.

    It acts on world rank zero alone: on others a save may be told before it is there. Evaluations
    run beside the training and have ended when `train` returns.

    Args:
        evaluator: evaluates; None: only `stop_file` is looked at.
        stop_on_regression: stop at the next step after a regression is found; patience of the
            evaluator that runs out stops it in any case.
        stop_file: stop at the next step once this file is there, whoever wrote it.
        wait: whether training waits for each evaluation.
        relay: whether results go to what the trainer reports to (`report_to`), by its own writer.
        outbox: of the results that are relayed; by default the evaluator's own.
    """
    from transformers import TrainerCallback

    runner = None if evaluator is None else CheckpointRunner(evaluator, wait=wait)
    file = None if stop_file is None else Path(stop_file)
    results = outbox or getattr(evaluator, "outbox", None)
    relays: list[Relay] = []

    class EvalsiCallback(TrainerCallback):  # type: ignore[misc]
        """What transformers calls."""

        _may_stop = False

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            # Asked once, so that steps of a training that nothing stops exchange nothing.
            self._may_stop = _as_rank_zero(_can_be_told(file, evaluator, stop_on_regression), args)
            # The trainer's own callbacks, which begin the runs, come before ours.
            if relay and results is not None and state.is_world_process_zero:
                trackers = reported_to(args.report_to, args.output_dir)
                relays.append(Relay(results, trackers, beside=True))

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            if state.is_world_process_zero:
                _submit(runner, args, state)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if self._may_stop:
                rank_zero = state.is_world_process_zero
                stop = rank_zero and _is_told(file, runner, regression=stop_on_regression)
                control.should_training_stop |= _as_rank_zero(stop, args)
            for one in relays:
                one.look()

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            _close(runner, relays)

    return EvalsiCallback()


def _submit(runner: CheckpointRunner | None, args: Any, state: Any) -> None:
    if runner is not None:
        place = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        runner.submit(place, state.global_step)


def _close(runner: CheckpointRunner | None, relays: list[Relay]) -> None:
    """Ends the evaluations, and then sends what they left."""
    if runner is not None:
        runner.close()
    while relays:
        relays.pop().close()


def _can_be_told(file: Path | None, evaluator: object, regression: bool) -> bool:
    """Whether anything could ever stop the training."""
    patience = getattr(evaluator, "patience", None) is not None
    return file is not None or patience or (evaluator is not None and regression)


def _is_told(file: Path | None, runner: CheckpointRunner | None, *, regression: bool) -> bool:
    """Whether training is to stop; says why."""
    reason = "" if runner is None else runner.stop_reason(regression=regression)
    if not reason and file is not None and file.exists():
        reason = f"{file} is there"
    if reason:
        _LOG.warning("training stops: %s", reason)
    return bool(reason)


def _as_rank_zero(stop: bool, args: Any) -> bool:
    """What rank zero decided: were it to stop alone, the others would wait for it for ever."""
    import torch
    import torch.distributed as dist

    if not (dist.is_available() and dist.is_initialized()) or dist.get_world_size() == 1:
        return stop
    told = torch.tensor([stop], dtype=torch.int32, device=args.device)
    dist.broadcast(told, src=0)
    return bool(told.item())
