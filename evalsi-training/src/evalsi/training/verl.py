"""Evaluates what verl's trainer saves. The only file that imports verl.

    # my_checkpoints.py, which verl's driver can import
    def evaluator(config):
        return CheckpointEvaluator("forgetting.yaml", training_run=…, serving=VLLM())

    Evaluated = verl_checkpoint_callback(evaluator, stop_on_regression=True)

Its name is what `trainer.checkpoint_callback_class=my_checkpoints.Evaluated` tells verl.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evalsi.training.pins import original_of
from evalsi.training.runner import CheckpointRunner, EvaluatesCheckpoints
from evalsi.training.sources.whole import model_in, signature_of

if TYPE_CHECKING:
    from verl.trainer.ppo.checkpoint_callback import CheckpointCallback

    from evalsi.training.judging import StepResult
    from evalsi.training.steps import Step

__all__ = ["verl_checkpoint_callback"]

_LOG: Final = logging.getLogger(__name__)


def verl_checkpoint_callback(
    evaluator_of: Callable[[Any], EvaluatesCheckpoints],
    *,
    stop_on_regression: bool = False,
    stop_file: str | Path | None = None,
    wait: bool = False,
    settle: float = 30.0,
) -> type[CheckpointCallback]:
    """A class for `trainer.checkpoint_callback_class`, which verl makes on its driver.

    Evaluations run beside the training. The last save, and the one at which the training is
    stopped, return when all have ended: verl tells a callback of nothing later. What goes wrong
    behind the start is a result with an `error` and a line in the log; training goes on.

    Args:
        evaluator_of: makes the evaluator from verl's whole configuration, when training starts.
        stop_on_regression: stop behind the step in which a regression is found; patience of the
            evaluator that runs out stops it in any case.
        stop_file: stop at the next save once this file is there, whoever wrote it.
        wait: whether training waits for each evaluation.
        settle: seconds without a change after which an asynchronous save is evaluated.
    """
    from verl.trainer.ppo.checkpoint_callback import CheckpointCallback

    file = None if stop_file is None else Path(stop_file)

    class EvaluatedCheckpoints(CheckpointCallback):  # type: ignore[misc]
        """What verl calls."""

        def __init__(self, config: Any = None) -> None:
            super().__init__(config)
            self._models = _Models(evaluator_of(config), settle)
            self._deciding = threading.RLock()
            self._waiting: set[Step] = set()
            self._trainer: Any = None
            self.runner = CheckpointRunner(self._models, wait=wait, then=self._judge)

        def on_save(
            self,
            trainer: Any,
            global_step: int,
            checkpoint_dir: str,
            async_save: bool = False,
            **_: Any,
        ) -> None:
            try:
                self._saved(trainer, global_step, checkpoint_dir, async_save)
            except Exception:  # noqa: BLE001 - it would end the training
                self._waiting.discard(global_step)
                _LOG.exception("what follows from the save of step %s is left out", global_step)

        def _saved(self, trainer: Any, step: int, folder: str, async_save: bool) -> None:
            if async_save:
                self._models.unsettled.add(step)
            with self._deciding:
                self._trainer = trainer
                self._waiting.add(step)
                self.runner.submit(folder, step)
            if file is not None and file.exists():
                _stop(trainer, f"{file} is there")
            if trainer.global_steps >= trainer.total_training_steps:
                self.runner.close()

        def _judge(self, result: StepResult) -> None:
            with self._deciding:
                self._waiting.discard(result.step)
                reason = self.runner.stop_reason(regression=stop_on_regression)
                # What waits may say otherwise, and verl would not wait for it.
                if reason and not self._waiting:
                    _stop(self._trainer, reason)

    return EvaluatedCheckpoints


class _Models:
    """Evaluates the model within each of verl's checkpoints, once nobody writes to it.

    Attributes:
        unsettled: steps whose save may go on behind `on_save`.
    """

    def __init__(self, evaluator: EvaluatesCheckpoints, settle: float) -> None:
        self._evaluator = evaluator
        self._settle = settle
        self.unsettled: set[Step] = set()

    def __getattr__(self, name: str) -> Any:
        """What else the evaluator has: its history, and what makes a verdict."""
        return getattr(self._evaluator, name)

    def evaluate(self, checkpoint: str | Path, step: Step) -> StepResult:
        """As the evaluator does; a checkpoint without a model is its error to tell."""
        places = [Path(checkpoint)]
        if step in self.unsettled:  # a pin lacks the files that came behind it
            places.append(Path(original_of(str(checkpoint))))
            _await_still(places[-1], self._settle)
        found = next(filter(None, map(model_in, places)), None)
        return self._evaluator.evaluate(found or places[0] / "actor", step)


def _await_still(checkpoint: Path, settle: float) -> None:
    seen = None
    while (found := _signature(checkpoint)) != seen:
        seen = found
        time.sleep(settle)


def _signature(checkpoint: Path) -> Mapping[str, tuple[int, int]]:
    try:
        return signature_of(checkpoint)
    except OSError:  # its trainer deletes it: what is pinned is what there is
        return {}


def _stop(trainer: Any, reason: str) -> None:
    """Ends the training behind the step that it is in: its loop compares the two before each."""
    _LOG.warning("training stops: %s", reason)
    try:
        trainer.total_training_steps = trainer.global_steps
    except AttributeError:
        _LOG.exception("this release of verl cannot be told; end it yourself")
