"""Evaluates checkpoints beside the training: one at a time, in the order in which they came."""

from __future__ import annotations

import functools
import logging
import os
import queue
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from evalsi.core.errors import EvalsiError
from evalsi.training.history import HeldError
from evalsi.training.judging import StepResult
from evalsi.training.pins import NOBODY, pin, unpin
from evalsi.training.steps import Step, in_order
from evalsi.training.stopping import regressed_in_a_row, stop_reason

__all__ = ["CheckpointRunner", "EvaluatesCheckpoints"]

_LOG: Final = logging.getLogger(__name__)
_TRIES: Final = 4
_PAUSE_S: Final = 1.0
_OPEN: Final[weakref.WeakSet[CheckpointRunner]] = weakref.WeakSet()


class EvaluatesCheckpoints(Protocol):
    """What a runner needs of an evaluator.

    One that has `history`, `confirm` and `patience` too, as `CheckpointEvaluator` does, is asked
    for what was measured before, and what makes a verdict.
    """

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
        then: is told of each result behind it, in the thread that evaluates; it may not raise.

    Attributes:
        results: in order, as they are there.
    """

    def __init__(
        self,
        evaluator: EvaluatesCheckpoints,
        *,
        wait: bool = False,
        confirm: int | None = None,
        then: Callable[[StepResult], None] = lambda _: None,
    ) -> None:
        self._evaluator = evaluator
        self._wait = wait
        self._then = then
        told: int = getattr(evaluator, "confirm", 1)
        self._confirm = told if confirm is None else confirm
        self._known: list[StepResult] = []
        self._todo: queue.Queue[tuple[str | Path, Step] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self.results: list[StepResult] = []

    @property
    def regressed(self) -> bool:
        """Whether the latest steps that say something of a metric regressed, so many in a row."""
        return regressed_in_a_row(self._known, self._confirm)

    def stop_reason(self, *, regression: bool) -> str:
        """Why training should stop, in a sentence; empty while it should go on.

        Args:
            regression: whether a regression is a reason; patience that ran out always is.
        """
        patience = getattr(self._evaluator, "patience", None)
        return stop_reason(self._known, self._confirm, patience, regression=regression)

    def submit(self, checkpoint: str | Path, step: Step) -> None:
        """Has a checkpoint evaluated."""
        if self._wait:
            self._evaluate(checkpoint, step)
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="evalsi-checkpoints")
            self._thread.start()
            _OPEN.add(self)
            _close_at_exit(os.getpid())
        owner: str = getattr(self._evaluator, "training_run", NOBODY)
        self._todo.put((_pinned(checkpoint, owner), step))

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
            result = self._evaluated(checkpoint, step)
        except Exception as error:  # noqa: BLE001 - a result: training is not to end by it
            _LOG.warning("step %s was not evaluated", step, exc_info=True)
            result = StepResult(step, status="error", error=f"{type(error).__name__}: {error}")
        self.results.append(result)
        self._known = self._history()
        unpin(Path(checkpoint))
        self._then(result)

    def _evaluated(self, checkpoint: str | Path, step: Step) -> StepResult:
        for _ in range(_TRIES - 1):
            try:
                return self._evaluator.evaluate(checkpoint, step)
            except HeldError:  # as `publish` holds it for a moment
                time.sleep(_PAUSE_S)
        return self._evaluator.evaluate(checkpoint, step)

    def _history(self) -> list[StepResult]:
        """Every result, in the order of the steps; of a step that came twice the latter."""
        if (history := getattr(self._evaluator, "history", None)) is not None:
            try:
                known: list[StepResult] = history()
            except (EvalsiError, OSError):
                _LOG.warning("what was measured so far cannot be read", exc_info=True)
            else:
                return known
        by_step = {result.step: result for result in self.results}
        return [by_step[step] for step in sorted(by_step, key=in_order)]


@functools.cache
def _close_at_exit(owner: int) -> None:
    """Has every runner closed where a program breaks before it does that.

    What `atexit` calls comes too late: Python waits for its threads first, and before that ends its
    pools of threads, without which nothing can be evaluated. What is registered here behind
    those comes before them.

    Args:
        owner: this process; a fork of it has no thread that could be waited for.
    """
    import concurrent.futures.thread  # noqa: F401 - registers the end of the pools

    threading._register_atexit(_close_all, owner)  # type: ignore[attr-defined]


def _close_all(owner: int) -> None:
    if os.getpid() == owner:
        for runner in list(_OPEN):
            runner.close()


def _pinned(checkpoint: str | Path, owner: str) -> str | Path:
    if not Path(checkpoint).exists():
        return checkpoint  # a name, for a strategy that takes names
    try:
        return pin(Path(checkpoint), owner)
    except OSError:
        _LOG.warning("%s is not kept while it waits", checkpoint, exc_info=True)
        return checkpoint
