"""Evaluates what a source brings, step by step, until nothing more is asked.

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
from evalsi.training.judging import StepResult
from evalsi.training.sources import CheckpointSource, Found, SourceError
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
    _told: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self._done = set(self.evaluator.measured_steps())

    def base(self, model: str) -> None:
        """Evaluates the base, unless it is measured."""
        if not self.evaluator.is_measured(BASE):
            self.evaluator.evaluate_base(model)

    def look(self) -> Iterator[StepResult]:
        """One look: evaluates what is pending, giving each result as it is there."""
        tried: set[int] = set()
        while pending := [one for one in self._pending() if one.step not in tried]:
            found = pending[0]  # what came meanwhile may be older than what waits
            tried.add(found.step)
            self._tries[found.step] += 1
            yield self.evaluator.evaluate(found.location, found.step)

    def run(self) -> Iterator[StepResult]:
        """Looks for ever, with a pause after each look."""
        while True:
            yield from self.look()
            self.sleep(self.interval)

    def _pending(self) -> list[Found]:
        try:
            found = self.source.scan(self._done)
        except SourceError as error:
            self._tell_once(str(error))
            return []
        self._told = ""
        self._done |= {one.step for one in found if self.evaluator.is_measured(one.step)}
        return [
            one for one in found if one.step not in self._done and self._tries[one.step] < TRIES
        ]

    def _tell_once(self, what: str) -> None:
        if what != self._told:
            self.tell(what)
        self._told = what
