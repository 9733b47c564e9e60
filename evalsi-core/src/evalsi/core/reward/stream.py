"""A stream of rollouts: chunks in flight, rewards in order, memory that does not grow."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from evalsi.core.engine import Stop
from evalsi.core.errors import DataError, RewardError
from evalsi.core.records import Record, Rollout
from evalsi.core.results import Reward
from evalsi.core.reward.groups import group_key

if TYPE_CHECKING:
    from evalsi.core.reward.loaded import LoadedReward, Settled

__all__ = ["stream"]

_THREADS: Final = "evalsi-stream"
_LARGEST_GROUP: Final = 8192


def stream(function: LoadedReward, rollouts: Iterable[Rollout], first: int = 1) -> Iterator[Reward]:
    """Rewards of `rollouts`, in order.

    A row that errs under `raise`, or that cannot be read, ends the stream behind the rewards of
    the rows before it.
    """
    chunks = _Chunks(function, rollouts, first)
    if function.waits:
        yield from _overlapped(function, chunks)
    else:
        for chunk in chunks:
            yield from _kept(function.rewards(chunk))
    if chunks.error is not None:
        raise chunks.error


def _overlapped(function: LoadedReward, chunks: Iterable[list[Record]]) -> Iterator[Reward]:
    """Keeps a few chunks in flight, so that one slow rollout does not idle the rest."""
    stop, owner = Stop(), threading.get_ident()
    waiting: deque[Future[list[Settled]]] = deque()
    pool = ThreadPoolExecutor(function.in_flight, thread_name_prefix=_THREADS)
    try:
        for chunk in chunks:
            waiting.append(pool.submit(function.rewards, chunk, stop))
            if len(waiting) >= function.in_flight:
                yield from _kept(waiting.popleft().result())
        while waiting:
            yield from _kept(waiting.popleft().result())
    finally:
        stop.now()
        # The collector ends a stream in any thread: in one of its own, which cannot wait for
        # itself, or in one of the engine's, for which its own threads wait.
        pool.shutdown(wait=threading.get_ident() == owner, cancel_futures=True)


def _kept(rows: list[Settled]) -> Iterator[Reward]:
    for row in rows:
        if row.causes:
            raise RewardError(row.causes)
        yield row.reward


class _Chunks:
    """Records in chunks; a row that cannot be read ends them, and stays in `error`."""

    def __init__(self, function: LoadedReward, rollouts: Iterable[Rollout], first: int) -> None:
        self._function = function
        self._rollouts = rollouts
        self._first = first
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[list[Record]]:
        chunk: list[Record] = []
        try:
            for record, may_begin in self._records():
                if len(chunk) >= self._function.chunk and may_begin:
                    yield chunk
                    chunk = []
                if len(chunk) >= _LARGEST_GROUP:
                    chunk, self.error = [], _too_large()
                    break
                chunk.append(record)
        except Exception as error:  # noqa: BLE001 - raised again behind the rows before it
            self.error = error
        if chunk:
            yield chunk

    def _records(self) -> Iterator[tuple[Record, bool]]:
        """Records, with whether a chunk may begin there: a prompt's rollouts stay together."""
        terms, grouped, last = self._function.terms, self._function.grouped, object()
        for number, rollout in enumerate(self._rollouts, self._first):
            record = self._function.record(rollout, number)
            key: object = group_key(record, terms.group_field) if grouped else object()
            yield record, key != last
            last = key


def _too_large() -> DataError:
    return DataError(f"more than {_LARGEST_GROUP} rollouts of one prompt; set groupField")
