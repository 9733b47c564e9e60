"""The flow of a run: records are read, asked and evaluated at once, each stage bounded.

Requests in flight are bounded by the spec; what is read ahead and what waits for evaluation by
queues. So the model is busy while evaluators work, and memory does not grow with the dataset.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from evalsi.core.chat import Connector, Output
from evalsi.core.results import Errored
from evalsi.core.run.breaker import Breaker, RunStopped
from evalsi.core.run.evaluation import Answered, Evaluation, Scores
from evalsi.core.run.items import Item
from evalsi.core.run.journal import RunJournal
from evalsi.core.run.target import ask

__all__ = ["Flow"]

_READ_AHEAD: Final = 64
_BATCH: Final = 64
_BATCHES: Final = 4
"""Batches in evaluation at once, so that one slow record does not idle the evaluators."""
_WAIT_S: Final = 0.02
"""How long a batch may fill: a call into a thread costs more than evaluating a record."""

_Trial: TypeAlias = "tuple[_Open, int]"


@dataclass(slots=True)
class _Open:
    """A record some of whose outputs are not there yet."""

    number: int
    item: Item
    outputs: list[Output | Errored | None]
    missing: int

    def put(self, trial: int, output: Output | Errored) -> None:
        self.outputs[trial] = output
        self.missing -= 1

    @property
    def answered(self) -> Answered:
        outputs = [output for output in self.outputs if output is not None]
        return Answered(self.number, self.item.record, outputs)


class Flow:
    """One pass over the records of a run; what the journal has is not done again.

    Args:
        journal: what there is, and where the rest goes.
        evaluation: the evaluators.
        trials: outputs of each record.
        progress: told of every record that is done.
        breaker: sees every output and every score.
    """

    def __init__(
        self,
        journal: RunJournal,
        evaluation: Evaluation,
        trials: int,
        progress: Callable[[int], None],
        breaker: Breaker,
    ) -> None:
        self._journal = journal
        self._evaluation = evaluation
        self._trials = trials
        self._progress = progress
        self._breaker = breaker
        evaluation.rungs.update({name: set(held) for name, held in journal.rungs.items()})

    async def run(
        self, items: Iterator[Item], connector: Connector | None, concurrency: int
    ) -> None:
        """Fills the journal; returns when every record has its scores.

        Args:
            items: the records, in order.
            connector: what is asked; None where every item has its outputs.
            concurrency: requests in flight.

        Raises:
            RunStopped: what is asked is down.
        """
        todo: asyncio.Queue[_Trial | None] = asyncio.Queue(_READ_AHEAD + concurrency)
        ready: asyncio.Queue[Answered | None] = asyncio.Queue(_BATCH * _BATCHES)
        try:
            async with asyncio.TaskGroup() as scorers:
                turn = asyncio.Lock()
                for _ in range(_BATCHES):
                    scorers.create_task(self._evaluate(ready, turn))
                stopped = None
                try:
                    async with asyncio.TaskGroup() as askers:
                        askers.create_task(self._read(items, todo, ready, concurrency))
                        for _ in range(concurrency):
                            askers.create_task(self._ask(connector, todo, ready))
                except* RunStopped as group:
                    stopped = _first(group)  # what was answered before is evaluated all the same
                await ready.put(None)
            if stopped is not None:
                raise stopped
        except BaseExceptionGroup as group:
            raise _first(group) from None
        finally:
            self._evaluation.stop.now()

    async def _read(
        self,
        items: Iterator[Item],
        todo: asyncio.Queue[_Trial | None],
        ready: asyncio.Queue[Answered | None],
        askers: int,
    ) -> None:
        numbered = enumerate(items)
        while chunk := await asyncio.to_thread(list, itertools.islice(numbered, _READ_AHEAD)):
            for number, item in chunk:
                if self._journal.has_scores(number):
                    self._progress(1)
                    continue
                record = self._opened(number, item)
                if record.missing == 0:
                    await ready.put(record.answered)
                for trial in (t for t, held in enumerate(record.outputs) if held is None):
                    await todo.put((record, trial))
        for _ in range(askers):
            await todo.put(None)

    def _opened(self, number: int, item: Item) -> _Open:
        journal = self._journal
        for trial, output in enumerate(item.outputs or ()):
            if not journal.has_output(number, trial):
                journal.put_output(number, trial, output)
        outputs = [
            journal.output(number, trial) if journal.has_output(number, trial) else None
            for trial in range(self._trials)
        ]
        return _Open(number, item, outputs, outputs.count(None))

    async def _ask(
        self,
        connector: Connector | None,
        todo: asyncio.Queue[_Trial | None],
        ready: asyncio.Queue[Answered | None],
    ) -> None:
        while (taken := await todo.get()) is not None:
            record, trial = taken
            assert connector is not None
            output = await ask(connector, record.item.record, trial)
            self._journal.put_output(record.number, trial, output)
            self._breaker.saw("the target", output)
            record.put(trial, output)
            if record.missing == 0:
                await ready.put(record.answered)

    async def _evaluate(self, ready: asyncio.Queue[Answered | None], turn: asyncio.Lock) -> None:
        while batch := await _filled(ready, turn):
            scores = await asyncio.to_thread(self._evaluation.of, batch)
            self._journal.put_rungs(self._evaluation.rungs)
            self._journal.put_scores(zip((one.number for one in batch), scores, strict=True))
            self._progress(len(batch))
            self._watch(batch, scores)

    def _watch(self, batch: Sequence[Answered], scores: Sequence[Scores]) -> None:
        for one, trials in zip(batch, scores, strict=True):
            for output, results in zip(one.outputs, trials, strict=True):
                for name, result in results.items() if isinstance(output, Output) else ():
                    self._breaker.saw(name, result)


async def _filled(ready: asyncio.Queue[Answered | None], turn: asyncio.Lock) -> list[Answered]:
    """A batch: a full one at once, a smaller one after a while, an empty one at the end."""
    batch: list[Answered] = []
    async with turn:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None) as patience:
                while len(batch) < _BATCH:
                    one = await ready.get()
                    if one is None:
                        ready.put_nowait(None)  # the end is another's to see, too
                        break
                    batch.append(one)
                    if len(batch) == 1:
                        patience.reschedule(asyncio.get_running_loop().time() + _WAIT_S)
    return batch


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong first: the tasks that were cancelled with it have nothing to add."""
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
