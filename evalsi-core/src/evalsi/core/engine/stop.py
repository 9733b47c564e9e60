"""The calls that a batch waits for, and a way to end them from another thread.

What has not begun is dropped; what runs in a process that can be killed is killed.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

__all__ = ["Halt", "Pending", "Pendings", "Stop"]


class Pending(Protocol):
    """Work that was started elsewhere."""

    def wait(self) -> None:
        """Waits for its end."""
        ...

    def cancel(self) -> None:
        """Drops what has not begun."""
        ...


class Halt:
    """What a batch has running that can be killed. Safe from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kills: set[Callable[[], None]] = set()
        self.stopped = False

    @contextlib.contextmanager
    def holding(self, kill: Callable[[], None]) -> Iterator[None]:
        """Has `kill` called, from another thread, when the batch is stopped during the block."""
        with self._lock:
            self._kills.add(kill)
            if self.stopped:
                kill()
        try:
            yield
        finally:
            with self._lock:
                self._kills.discard(kill)

    def now(self) -> None:
        """Kills what runs."""
        with self._lock:
            self.stopped = True
            for kill in self._kills:
                kill()


class Pendings:
    """The work of one batch."""

    def __init__(self) -> None:
        self._pending: list[Pending] = []
        self.halt = Halt()

    def add(self, pending: Pending) -> None:
        """Takes work that was started."""
        self._pending.append(pending)
        if self.halt.stopped:
            pending.cancel()

    def wait(self) -> None:
        """Waits for all of it."""
        for pending in self._pending:
            pending.wait()

    def cancel(self) -> None:
        """Drops what has not begun, now and later, and kills what runs."""
        self.halt.now()
        for pending in list(self._pending):
            pending.cancel()


class Stop:
    """Ends the work of one caller's batches; after `now`, that of later batches as well."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._batches: set[Pendings] = set()
        self._stopped = False

    @contextlib.contextmanager
    def batch(self) -> Iterator[Pendings]:
        """A batch's work for the block; it ends when the block fails."""
        batch = Pendings()
        with self._lock:
            self._batches.add(batch)
            if self._stopped:
                batch.cancel()
        try:
            yield batch
        except BaseException:
            batch.cancel()
            raise
        finally:
            with self._lock:
                self._batches.discard(batch)

    def now(self) -> None:
        """Ends it."""
        with self._lock:
            self._stopped = True
            for batch in self._batches:
                batch.cancel()
