"""Evaluates what a source brings, step by step, until it is interrupted or patience runs out.

Pending checkpoints are evaluated in the order of their steps, one at a time; an older one that
arrives late is evaluated too. What failed is tried again at later looks, so many times.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from evalsi.training.evaluator import CheckpointEvaluator
from evalsi.training.history import HeldError
from evalsi.training.judging import StepResult
from evalsi.training.sources import CheckpointSource, Found, Settling, SourceError
from evalsi.training.sources.files import asking
from evalsi.training.steps import BASE, Step

__all__ = ["TRIES", "Watch"]

TRIES: Final = 3
"""How often one checkpoint is tried before it is left alone; a new start tries again."""


@dataclass(slots=True)
class Watch:
    """A watch over one source.

    Attributes:
        evaluator: evaluates and keeps.
        source: brings checkpoints.
        interval: seconds between two looks.
        tell: is told, in a sentence, of what goes wrong.
        sleep: waits.
    """

    evaluator: CheckpointEvaluator
    source: CheckpointSource
    interval: float = 30.0
    tell: Callable[[str], None] = lambda _: None
    sleep: Callable[[float], None] = time.sleep
    _done: set[Step] = field(init=False)
    _tries: Counter[int] = field(init=False, default_factory=Counter)
    _told: dict[int | None, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._done = set(self.evaluator.measured_steps())

    @property
    def blind(self) -> bool:
        """Whether the source, a checkpoint of it or the training run could not be had just now."""
        return bool(self._told)

    def base(self, model: str) -> None:
        """Evaluates the base, unless it is measured; raises `SourceError` where it lies away."""
        if not self.evaluator.is_measured(BASE):
            self.evaluator.evaluate_base(model)

    def look(self) -> Iterator[StepResult]:
        """One look: evaluates what is pending, giving each result as it is there."""
        tried: set[int] = set()
        while pending := [one for one in self._pending() if one.step not in tried]:
            found = pending[0]  # what came meanwhile may be older than what waits
            tried.add(found.step)
            if (result := self._evaluated(found)) is not None:
                self._tries[found.step] += 1
                if self.evaluator.is_measured(found.step):
                    self._done.add(found.step)  # the next look lets go of its pin
                yield result

    def run(self) -> Iterator[StepResult]:
        """Looks again and again, with a pause after each look.

        Once patience has run out it ends with the first look behind it that finds nothing: what
        was saved before training stopped is still evaluated.
        """
        ended = False
        while not ended:
            stalled, found = self._has_stalled(), False
            for result in self.look():
                found = True
                yield result
            ended = stalled and not (found or self.blind or self._is_unsettled())
            if not ended:
                self.sleep(self.interval)

    def _has_stalled(self) -> bool:
        watched = self.evaluator.patience is not None and bool(self._done)
        return watched and bool(self.evaluator.curve().stall)

    def _is_unsettled(self) -> bool:
        """Whether the source, where it can tell, has a checkpoint that is not yet still."""
        return isinstance(self.source, Settling) and self.source.unsettled

    def _pending(self) -> list[Found]:
        try:
            with asking("the source"):  # a stranger's may raise anything
                found = self.source.scan(self._done)
        except SourceError as error:
            self._tell_once(None, str(error))
            return []
        there = {one.step for one in found}
        self._told = {step: what for step, what in self._told.items() if step in there}
        self._done |= {one.step for one in found if self.evaluator.is_measured(one.step)}
        return [
            one for one in found if one.step not in self._done and self._tries[one.step] < TRIES
        ]

    def _evaluated(self, found: Found) -> StepResult | None:
        """A result; None, which is no try, where its store or the training run cannot be had."""
        try:
            result = self.evaluator.evaluate(found.location, found.step)
        except (SourceError, HeldError) as error:
            self._tell_once(found.step, str(error))
            return None
        self._told.pop(found.step, None)
        return result

    def _tell_once(self, step: int | None, what: str) -> None:
        if what != self._told.get(step):
            self.tell(what)
        self._told[step] = what
