"""Trying again: each kind of failure has a budget of its own, and all tries share one deadline.

A server that limits its callers is waited for much longer than one that answers nonsense; an
answer that refuses the request is never asked for twice.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from evalsi.core.errors import ServerError

__all__ = ["Budgets", "retried"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Budgets:
    """How often a request is tried again, by what came instead of an answer.

    Attributes:
        connect: no connection, or one that broke.
        timeout: no answer within `timeout_s`.
        limited: the server limits its callers (429).
        server: the server failed (5xx).
        malformed: an answer without a choice, without a body, or with half of one.
        timeout_s: seconds of one try.
        deadline_s: seconds of all tries and the waits between them.
        first_wait_s: about the first wait, which doubles with every further failure of its kind.
        longest_wait_s: the longest wait that the server did not ask for.
    """

    connect: int = 4
    timeout: int = 1
    limited: int = 8
    server: int = 4
    malformed: int = 2
    timeout_s: float = 120.0
    deadline_s: float = 600.0
    first_wait_s: float = 0.5
    longest_wait_s: float = 30.0

    def of(self, cause: str) -> int:
        """The budget of a cause; 0 for those that another try does not mend."""
        budgets = {
            "connect": self.connect,
            "timeout": self.timeout,
            "limited": self.limited,
            "server": self.server,
            "malformed": self.malformed,
        }
        return budgets.get(cause, 0)

    def wait_s(self, failures: int, retry_after_s: float | None) -> float:
        """Seconds to wait after so many failures of a kind: never less than the server asks."""
        longest = min(self.longest_wait_s, self.first_wait_s * 2.0 ** min(failures - 1, 30))
        own = longest * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, so that callers spread
        return own if retry_after_s is None else max(retry_after_s, 0.0) + 0.1 * own


async def retried(
    attempt: Callable[[float], Awaitable[T]],
    budgets: Budgets,
    turn: Callable[[], Awaitable[None]] | None = None,
) -> T:
    """What an attempt gives at last.

    Args:
        attempt: one try; is given the seconds that it may take.
        budgets: how often, and how long in all.
        turn: is waited for before every try; that time does not count.

    Raises:
        ServerError: of the last try, with the number of tries in its message.
    """
    ends_at = time.monotonic() + budgets.deadline_s
    failures: Counter[str] = Counter()
    while True:
        if turn is not None:
            waits_from = time.monotonic()
            await turn()
            ends_at += time.monotonic() - waits_from
        left_s = ends_at - time.monotonic()
        try:
            return await attempt(min(budgets.timeout_s, left_s))
        except ServerError as error:
            failures[error.cause] += 1
            wait_s = budgets.wait_s(failures[error.cause], error.retry_after_s)
            if not error.retryable or failures[error.cause] > budgets.of(error.cause):
                raise _told(error, failures.total(), "") from error
            if time.monotonic() + wait_s >= ends_at:
                late = f"the next would begin after the deadline of {budgets.deadline_s:g} s"
                raise _told(error, failures.total(), late) from error
        await asyncio.sleep(wait_s)


def _told(error: ServerError, tries: int, why: str) -> ServerError:
    notes = [f"{tries} tries" if tries > 1 else "", why]
    note = "; ".join(filter(None, notes))
    return error.again(f"{error} ({note})") if note else error
