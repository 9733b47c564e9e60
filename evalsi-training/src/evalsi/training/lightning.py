"""Checkpoints of a Lightning trainer. The only file that imports lightning.

callback = lightning_checkpoint_callback(
evaluator, dirpath="checkpoints", every_n_train_steps=100, save_on_train_epoch_end=False
)
trainer = lightning.Trainer(callbacks=[callback])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalsi.core.errors import SpecError
from evalsi.training.runner import CheckpointRunner, EvaluatesCheckpoints
from evalsi.training.trackers.relaying import Relay, logged_by

if TYPE_CHECKING:
    from lightning.pytorch.callbacks import ModelCheckpoint

__all__ = ["lightning_checkpoint_callback"]


def lightning_checkpoint_callback(
    evaluator: EvaluatesCheckpoints,
    *,
    wait: bool = False,
    stop_on_regression: bool = False,
    relay: bool = True,
    **options: Any,
) -> ModelCheckpoint:
    """A `ModelCheckpoint` that has each file evaluated after it was really saved.

    Global rank zero evaluates. All have ended when training ends, in whatever way. Every
    checkpoint is kept (`save_top_k=-1`, no `save_last`), so that one that waits is not deleted.

    Args:
        evaluator: evaluates; its serving strategy must read Lightning's files.
        wait: whether training waits for each evaluation.
        stop_on_regression: stop at the next step after a regression is found; patience of the
            evaluator that runs out stops it in any case.
        relay: whether results go to the trainer's own loggers.
        options: of `ModelCheckpoint`.

    Raises:
        SpecError: `save_top_k` or `save_last` would delete or overwrite what waits.
    """
    from lightning.pytorch.callbacks import ModelCheckpoint

    if options.get("save_top_k", -1) != -1 or options.get("save_last"):
        raise SpecError("every checkpoint is kept while it waits: leave save_top_k and save_last")
    found = _Evaluations(evaluator, wait=wait, stop_on_regression=stop_on_regression, relay=relay)

    class EvaluatedCheckpoint(ModelCheckpoint):  # type: ignore[misc]
        """What Lightning calls."""

        runner = found.runner

        def _save_checkpoint(self, trainer: Any, filepath: str) -> None:
            super()._save_checkpoint(trainer, filepath)
            if trainer.is_global_zero:
                found.runner.submit(filepath, trainer.global_step)

        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            super().on_train_start(trainer, pl_module)
            found.begin(trainer)

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            super().on_train_end(trainer, pl_module)
            found.close()  # before the loggers are closed

        def on_train_batch_start(self, trainer: Any, *_: Any) -> None:
            found.look(trainer)

        def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
            found.close()
            super().teardown(trainer, pl_module, stage)

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            found.close()
            super().on_exception(trainer, pl_module, exception)

    return EvaluatedCheckpoint(**{**options, "save_top_k": -1, "save_last": None})


class _Evaluations:
    """What is evaluated of a training, and where that goes: to its loggers, and to its end."""

    def __init__(
        self,
        evaluator: EvaluatesCheckpoints,
        *,
        wait: bool,
        stop_on_regression: bool,
        relay: bool,
    ) -> None:
        self.runner = CheckpointRunner(evaluator, wait=wait)
        self._stop_on_regression = stop_on_regression
        self._may_stop = stop_on_regression or getattr(evaluator, "patience", None) is not None
        self._results = getattr(evaluator, "outbox", None) if relay else None
        self._relays: list[Relay] = []

    def begin(self, trainer: Any) -> None:
        """Has results relayed to the loggers of this training."""
        if self._results is not None and trainer.is_global_zero:
            self._relays.append(Relay(self._results, logged_by(trainer.loggers)))

    def look(self, trainer: Any) -> None:
        """Relays what is new, and stops the training if there is a reason; at each step."""
        for one in self._relays:
            one.look()
        if not self._may_stop:
            return
        reason = self.runner.stop_reason(regression=self._stop_on_regression)
        told = trainer.is_global_zero and bool(reason)
        # On all ranks or on none: one that stopped alone would be waited for for ever.
        if trainer.strategy.reduce_boolean_decision(told, all=False):
            trainer.should_stop = True

    def close(self) -> None:
        """Returns when everything is evaluated and relayed."""
        self.runner.close()
        while self._relays:
            self._relays.pop().close()
