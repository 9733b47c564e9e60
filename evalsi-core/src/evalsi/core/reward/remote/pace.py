"""How many requests a server gets at once: as many as it answers in time.

The number grows while answers come (by one an answer, after the first limit by one a round) and
is halved when the server limits its callers, is too busy, or takes long: additive increase,
multiplicative decrease, as TCP does (Chiu and Jain 1989).
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Final

__all__ = ["Pace"]

_FIRST: Final = 4.0
_MOST: Final = 256.0


class Pace:
    """Places for requests, in the order of asking. For the tasks of one event loop.

    Attributes:
        places: how many requests may run at once.
        running: how many do.
    """

    def __init__(self) -> None:
        self.places = _FIRST
        self.running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._halved_at = 0.0

    async def turn(self) -> None:
        """Waits for a place, and takes it."""
        if self.running < int(self.places):
            self.running += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._left()
            raise

    def answered(self) -> None:
        """Gives a place back after an answer in good time."""
        if self.running >= int(self.places):
            step = 1.0 / self.places if self._halved_at else 1.0
            self.places = min(_MOST, self.places + step)
        self._left()

    def failed(self) -> None:
        """Gives a place back after a failure that says nothing of the server's load."""
        self._left()

    def overloaded(self, begun: float) -> None:
        """Gives a place back where the server had too much to do.

        Args:
            begun: when the request began, by `time.monotonic`; those that were under way when the
                number was halved do not halve it again.
        """
        if begun >= self._halved_at:
            self.places = max(1.0, self.places / 2)
            self._halved_at = time.monotonic()
        self._left()

    def _left(self) -> None:
        self.running -= 1
        while self._waiting and self.running < int(self.places):
            place = self._waiting.popleft()
            if not place.done():
                self.running += 1
                place.set_result(None)
