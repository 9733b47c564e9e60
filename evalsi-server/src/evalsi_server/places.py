"""A bounded number of places, given in the order of arrival: what keeps memory bounded."""

from __future__ import annotations

import asyncio
from collections import deque

__all__ = ["Places"]


class Places:
    """Places that are taken, many at once, and given back. For one event loop.

    Who asks for many is not overtaken by those who ask for few, so that nobody waits for ever.

    Args:
        count: how many there are; nobody may ask for more.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._free = count
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @property
    def taken(self) -> int:
        """How many are taken."""
        return self.count - self._free

    @property
    def wanted(self) -> int:
        """How many are waited for."""
        return sum(wanted for wanted, turn in self._waiting if not turn.done())

    async def take(self, wanted: int) -> None:
        """Takes places, when it is its turn and they are free."""
        if not self._waiting and wanted <= self._free:
            self._free -= wanted
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it had its turn in the same moment
                self._free += wanted
            self._serve()
            raise

    def give_back(self, taken: int) -> None:
        """Gives places back."""
        self._free += taken
        self._serve()

    def _serve(self) -> None:
        while self._waiting:
            wanted, turn = self._waiting[0]
            if not turn.done():
                if wanted > self._free:
                    return
                self._free -= wanted
                turn.set_result(None)
            self._waiting.popleft()
