"""A batch computed once for all functions that are called with it, in whatever thread or order.

TRL passes nothing that identifies a batch, and may reuse or change a list. So a result is found by
a digest of its batch's content, and each function takes it once: its next call, with the same
content even, is another batch. What all have taken is dropped.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

__all__ = ["Once"]

T = TypeVar("T")

_MOST: Final = 16  # results that not all functions have taken: some may never be called


@dataclass(slots=True)
class _Entry(Generic[T]):
    key: bytes
    kept: object
    future: Future[T] = field(default_factory=Future)
    takers: set[Hashable] = field(default_factory=set)


class Once(Generic[T]):
    """Results that so many takers share.

    Args:
        takers: after how many a result is dropped.
    """

    def __init__(self, takers: int) -> None:
        self._takers = takers
        self._lock = threading.Lock()
        self._entries: deque[_Entry[T]] = deque(maxlen=_MOST)

    def result(self, taker: Hashable, key: bytes, kept: object, compute: Callable[[], T]) -> T:
        """The result for `key`: another taker's, waited for if need be, else computed here.

        What `compute` raises is raised for all who wait, and kept for nobody.

        Args:
            taker: who asks.
            key: the batch's content.
            kept: objects that must live as long as the key stands for them.
            compute: gives the result.
        """
        entry, is_new = self._taken(taker, key, kept)
        if is_new:
            try:
                entry.future.set_result(compute())
            except BaseException as error:  # noqa: BLE001 - raised below, here and for all who wait
                self._drop(entry)
                entry.future.set_exception(error)
        return entry.future.result()

    def _taken(self, taker: Hashable, key: bytes, kept: object) -> tuple[_Entry[T], bool]:
        with self._lock:
            for entry in self._entries:
                if entry.key == key and taker not in entry.takers:
                    is_new = False
                    break
            else:
                entry, is_new = _Entry(key, kept), True
                self._entries.append(entry)
            entry.takers.add(taker)
            complete = len(entry.takers) == self._takers
        if complete:
            self._drop(entry)
        return entry, is_new

    def _drop(self, entry: _Entry[T]) -> None:
        with self._lock:
            self._entries = deque((one for one in self._entries if one is not entry), _MOST)
