"""Which lane an evaluator runs in: derived from what it is, never declared."""

from __future__ import annotations

import enum
from typing import Final

from evalsi.core.evaluator import Need
from evalsi.core.results import Errored, Failure
from evalsi.core.spec.bound import Bound

__all__ = ["Lane", "lane_of", "late", "patience_s"]

_PATIENCE_S: Final = 60.0


class Lane(enum.Enum):
    """Where an evaluator runs, and what keeps its deadline.

    CALLER: the caller's thread; its bound on the work is its deadline. What it gives to workers
        has a deadline of its own, so that the cheap records of a batch pay for no hop.
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
    if bound.needs <= {Need.WORKERS}:
        return Lane.CALLER
    return Lane.WORKER if bound.needs & {Need.HTTP, Need.JUDGE} else Lane.CREW


def patience_s(bound: Bound) -> float:
    """Seconds a call in a worker or on the loop where the spec has no `deadlineSeconds`."""
    own_s = bound.patience_s or _PATIENCE_S
    return own_s if bound.judge is None else max(own_s, bound.judge.patience_s)


def late(bound: Bound, deadline_s: float | None) -> Errored:
    """The result of a record whose call its deadline ended."""
    return Errored(Failure("deadline", f"no answer within {deadline_s:g} s", bound.by.evaluator))
