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

if TYPE_CHECKING:
    from lightning.pytorch.callbacks import ModelCheckpoint

__all__ = ["lightning_checkpoint_callback"]


def lightning_checkpoint_callback(
    evaluator: EvaluatesCheckpoints,
    *,
    wait: bool = False,
    stop_on_regression: bool = False,
    **options: Any,
) -> ModelCheckpoint:
    """A `ModelCheckpoint` that has each file evaluated after it was really saved.

    Global rank zero evaluates. All have ended when training ends, in whatever way. Every
    checkpoint is kept (`save_top_k=-1`, no `save_last`), so that one that waits is not deleted.

    Args:
        evaluator: evaluates; its serving strategy must read Lightning's files.
        wait: whether training waits for each evaluation.
        stop_on_regression: stop at the next step after a regression is found.
        options: of `ModelCheckpoint`.

    Raises:
        SpecError: `save_top_k` or `save_last` would delete or overwrite what waits.
    """
    from lightning.pytorch.callbacks import ModelCheckpoint

    if options.get("save_top_k", -1) != -1 or options.get("save_last"):
        raise SpecError("every checkpoint is kept while it waits: leave save_top_k and save_last")
    runner = CheckpointRunner(evaluator, wait=wait)

    class EvaluatedCheckpoint(ModelCheckpoint):  # type: ignore[misc]
        """What Lightning calls."""

        def _save_checkpoint(self, trainer: Any, filepath: str) -> None:
            super()._save_checkpoint(trainer, filepath)
            if trainer.is_global_zero:
                runner.submit(filepath, trainer.global_step)

        def on_train_batch_start(self, trainer: Any, *_: Any) -> None:
            fell = stop_on_regression and trainer.is_global_zero and runner.regressed
            # On all ranks or on none: one that stopped alone would be waited for for ever.
            if stop_on_regression and trainer.strategy.reduce_boolean_decision(fell, all=False):
                trainer.should_stop = True

        def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
            runner.close()
            super().teardown(trainer, pl_module, stage)

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            runner.close()
            super().on_exception(trainer, pl_module, exception)

    callback = EvaluatedCheckpoint(**{**options, "save_top_k": -1, "save_last": None})
    callback.runner = runner
    return callback
