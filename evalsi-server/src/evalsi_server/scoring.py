"""From rollouts to rewards under a deadline: places first, then the queue of the reward."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from evalsi.core.records import Record, Rollout
from evalsi.core.reward.function import RewardFunction
from evalsi.core.reward.loaded import Settled
from evalsi_server.batching import Batcher
from evalsi_server.metrics import Metrics
from evalsi_server.places import Places
from evalsi_server.problems import Problem, ending

__all__ = ["Limits", "Scorer", "Served"]

R = TypeVar("R")
T = TypeVar("T")

_THREADS: Final = 256
_INLINE: Final = 512
"""Rollouts that are read, and counted, on the loop; more take milliseconds, and have a thread."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may ask, and all of them together.

    Attributes:
        deadline_s: seconds from a request's head to its answer.
        max_rollouts: in a request.
        max_in_flight: rollouts of all requests that are queued or being scored; further requests
            wait for their turn.
        max_body_bytes: of a request.
    """

    deadline_s: float = 150.0
    max_rollouts: int = 16_384
    max_in_flight: int = 65_536
    max_body_bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class Served:
    """A reward that a server scores with.

    Attributes:
        function: the reward.
        batcher: its queue.
        label: its name in the metrics; None: it is a client's.
    """

    function: RewardFunction
    batcher: Batcher
    label: str | None


class Scorer:
    """Scores the rollouts of every request. For one event loop.

    Args:
        limits: what it takes.

    Attributes:
        draining: whether the server takes no further connections.
        metrics: what it counted.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.draining = False
        self._stopped = False
        self._at_stop: list[Callable[[], None]] = []
        self._places = Places(limits.max_in_flight)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="evalsi-batch")
        self._batchers: weakref.WeakSet[Batcher] = weakref.WeakSet()
        self.metrics = Metrics(self._waiting, lambda: self._places.taken)

    def served(self, function: RewardFunction, label: str | None) -> Served:
        """A reward with a queue of its own, which goes when nothing refers to it any more."""
        batcher = Batcher(function, self._threads)
        self._batchers.add(batcher)
        return Served(function, batcher, label)

    async def settled(
        self, served: Served, rollouts: Sequence[Rollout], by_s: float
    ) -> list[Settled]:
        """Reward and total of every rollout, in order.

        Args:
            served: the reward.
            rollouts: of one request.
            by_s: the loop's time at which nobody waits any more.

        Raises:
            DataError: a rollout cannot be read; none was scored.
            Problem: too many rollouts, no place or no answer in time, or the server ends.
        """
        self._require(len(rollouts))
        if not rollouts:
            return []
        records = await _aside(rollouts, served.function.records)
        with _late(Problem("busy", _BUSY, retry_after_s=1)):
            async with asyncio.timeout_at(by_s):
                await self._places.take(len(records))
        with _late(Problem("deadline", _DEADLINE)):
            async with asyncio.timeout_at(by_s):
                rows = await self._scored(served.batcher, records)
        await _aside(rows, partial(self.metrics.scored, served.label))
        return rows

    def _require(self, count: int) -> None:
        most = min(self.limits.max_rollouts, self.limits.max_in_flight)
        if count > most:
            raise Problem("too-large", f"{count} rollouts; a request may have {most}")

    async def _scored(self, batcher: Batcher, records: Sequence[Record]) -> list[Settled]:
        ended = partial(self._places.give_back, len(records))
        if self._stopped:
            ended()
            raise ending()
        return await batcher.settled(records, ended)

    def at_stop(self, stop: Callable[[], None]) -> None:
        """Has something else stopped when this is."""
        self._at_stop.append(stop)

    def stop(self) -> None:
        """Ends what runs; requests that still wait get no rewards."""
        self._stopped = True
        for batcher in list(self._batchers):
            batcher.stop(ending())
        for stop in self._at_stop:
            stop()

    def _waiting(self) -> int:
        return self._places.wanted + sum(batcher.waiting for batcher in self._batchers)


async def _aside(rows: Sequence[R], work: Callable[[Sequence[R]], T]) -> T:
    """What `work` makes of rows; in a thread where they are many."""
    return work(rows) if len(rows) <= _INLINE else await asyncio.to_thread(work, rows)


_BUSY: Final = "the server has no place for more rollouts; --max-in-flight says how many it takes"
_DEADLINE: Final = "no rewards within the deadline; what is scored by then is cached: ask again"


@contextlib.contextmanager
def _late(problem: Problem) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise problem from None
