"""The lease of one evaluation: what it runs elsewhere, and what ends that."""

from __future__ import annotations

import threading
import time
from typing import Final, Protocol

__all__ = ["Killable", "Lease", "present_lease"]


class Killable(Protocol):
    """Something that runs in another process."""

    def kill(self) -> None:
        """Ends it, from any thread."""
        ...


class _Held(threading.local):
    """The lease of the present thread's evaluation, if it has a deadline."""

    def __init__(self) -> None:
        self.lease: Lease | None = None


_HELD: Final = _Held()


def present_lease() -> Lease | None:
    """The lease of the evaluation that this thread is at."""
    return _HELD.lease


class Lease:
    """The deadline of one evaluation in this thread: kills the jails and workers that it uses.

    Args:
        deadline_s: seconds from now, or None for no deadline but the evaluator's own limits.
        each: whether these are the seconds of each payload that a worker gets, instead of the
            evaluation's, of which then only `kill` is the end.
    """

    def __init__(self, deadline_s: float | None, *, each: bool = False) -> None:
        self.deadline_s = deadline_s
        self._each = each
        self.expired = False
        self._killed = False
        self._begun = time.monotonic()
        self._open: set[Killable] = set()
        self._timer: threading.Timer | None = None
        self._outer: Lease | None = None

    def __enter__(self) -> Lease:
        self._outer, _HELD.lease = _HELD.lease, self
        self._begun = time.monotonic()
        if self.deadline_s is not None and not self._each:
            self._timer = threading.Timer(self.deadline_s, self._expire)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        _HELD.lease = self._outer
        if self._timer is not None:
            self._timer.cancel()

    def remaining_s(self) -> float | None:
        """Seconds that are left, at least 0, or that each payload has; None without a deadline."""
        if self.deadline_s is None or self._each:
            return self.deadline_s
        return max(0.0, self._begun + self.deadline_s - time.monotonic())

    def take(self, opened: Killable) -> None:
        """Puts what runs elsewhere under the deadline."""
        self._open.add(opened)
        if self._killed:
            opened.kill()

    def give_back(self, opened: Killable) -> None:
        """Takes what has ended from under it."""
        self._open.discard(opened)

    def kill(self) -> None:
        """Ends what it has open, now and later, from any thread."""
        self._killed = True
        for opened in list(self._open):
            opened.kill()

    def _expire(self) -> None:
        self.expired = True
        self.kill()
