"""Evaluates checkpoints beside the training: one at a time, in the order in which they came."""

from __future__ import annotations

import logging
import queue
import threading
from pathlib import Path
from typing import Final, Protocol

from evalsi.training.judging import StepResult
from evalsi.training.pins import pin, unpin
from evalsi.training.steps import Step

__all__ = ["CheckpointRunner", "EvaluatesCheckpoints"]

_LOG: Final = logging.getLogger(__name__)


class EvaluatesCheckpoints(Protocol):
    """What a runner needs of an evaluator."""

    def evaluate(self, checkpoint: str | Path, step: Step) -> StepResult:
        """Evaluates a checkpoint."""
        ...


class CheckpointRunner:
    """A background thread that evaluates what is submitted.

    A checkpoint is pinned while it waits, so that the trainer may delete it. What goes wrong is a
    result with an `error` and a line in the log: training goes on.

    Args:
        evaluator: evaluates.
        wait: whether `submit` returns when its checkpoint is evaluated.
        confirm: results in a row that must have regressed; by default what the evaluator says.

    Attributes:
        results: in order, as they are there.
    """

    def __init__(
        self, evaluator: EvaluatesCheckpoints, *, wait: bool = False, confirm: int | None = None
    ) -> None:
        self._evaluator = evaluator
        self._wait = wait
        told: int = getattr(evaluator, "confirm", 1)
        self._confirm = told if confirm is None else confirm
        self._todo: queue.Queue[tuple[str | Path, Step] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self.results: list[StepResult] = []

    @property
    def regressed(self) -> bool:
        """Whether the latest results that were measured regressed, so many in a row."""
        latest = [result for result in list(self.results) if not result.error][-self._confirm :]
        return len(latest) == self._confirm and all(result.regressed for result in latest)

    def submit(self, checkpoint: str | Path, step: Step) -> None:
        """Has a checkpoint evaluated."""
        if self._wait:
            self._evaluate(checkpoint, step)
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="evalsi-checkpoints")
            self._thread.start()
        self._todo.put((_pinned(checkpoint), step))

    def close(self) -> None:
        """Returns when everything that was submitted is evaluated; may be called twice."""
        if self._thread is not None:
            self._todo.put(None)
            self._thread.join()
            self._thread = None

    def __enter__(self) -> CheckpointRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self) -> None:
        while (taken := self._todo.get()) is not None:
            self._evaluate(*taken)

    def _evaluate(self, checkpoint: str | Path, step: Step) -> None:
        try:
            result = self._evaluator.evaluate(checkpoint, step)
        except Exception as error:  # noqa: BLE001 - a result: training is not to end by it
            _LOG.warning("step %s was not evaluated", step, exc_info=True)
            result = StepResult(step, status="error", error=f"{type(error).__name__}: {error}")
        self.results.append(result)
        unpin(Path(checkpoint))


def _pinned(checkpoint: str | Path) -> str | Path:
    if not Path(checkpoint).exists():
        return checkpoint  # a name, for a strategy that takes names
    try:
        return pin(Path(checkpoint))
    except OSError:
        _LOG.warning("%s is not kept while it waits", checkpoint, exc_info=True)
        return checkpoint
