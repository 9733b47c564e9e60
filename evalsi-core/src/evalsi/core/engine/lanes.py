"""Which lane an evaluator runs in: derived from what it is, never declared."""

from __future__ import annotations

import enum

from evalsi.core.evaluator import Need
from evalsi.core.spec.bound import Bound

__all__ = ["Lane", "lane_of"]


class Lane(enum.Enum):
    """Where an evaluator runs, and what keeps its deadline.

    CALLER: the caller's thread; its bound on the work is its deadline.
    CREW: a thread that holds a core; the deadline kills the jail that it leased.
    LOOP: the engine's event loop; the deadline cancels it.
    WORKER: a worker process; the deadline is SIGKILL. The default for strangers, and for who
        waits for a server without being async: a thread cannot be cancelled.
    """

    CALLER = "caller"
    CREW = "crew"
    LOOP = "loop"
    WORKER = "worker"


def lane_of(bound: Bound) -> Lane:
    """The lane of a bound evaluator."""
    if not bound.bounded or bound.instance is None:
        return Lane.WORKER
    if bound.entry.startswith("a"):
        return Lane.LOOP
    if not bound.needs:
        return Lane.CALLER
    return Lane.WORKER if bound.needs & {Need.HTTP, Need.JUDGE} else Lane.CREW
