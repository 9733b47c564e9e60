"""How long a place has looked the same, by a clock that nobody sets."""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Settled", "Stillness"]

Signature = TypeVar("Signature")


@dataclass(slots=True)
class _Seen(Generic[Signature]):
    """How a place looked, and since when it has looked so."""

    signature: Signature
    since: float
    settled: bool = False


class Stillness(Generic[Signature]):
    """Places by name, each with its latest signature.

    Args:
        settle: seconds without a change after which a place is still; it stays so.
        clock: seconds that only go forward.
    """

    def __init__(self, settle: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.settle = settle
        self._clock = clock
        self._seen: dict[str, _Seen[Signature]] = {}

    @property
    def unsettled(self) -> bool:
        """Whether a place that was noted is not still yet."""
        return any(not seen.settled for seen in self._seen.values())

    def forget_others(self, places: Container[str]) -> None:
        """Forgets every place but these: one that comes back is new."""
        for place in [place for place in self._seen if place not in places]:
            del self._seen[place]

    def forget(self, place: str) -> None:
        """Forgets one place, as if it were new."""
        self._seen.pop(place, None)

    def is_settled(self, place: str) -> bool:
        """Whether a place was found to be still before."""
        seen = self._seen.get(place)
        return seen is not None and seen.settled

    def is_as_noted(self, place: str, signature: Signature) -> bool:
        """Whether a place looks as it did when it was noted."""
        seen = self._seen.get(place)
        return seen is not None and seen.signature == signature

    def note(self, place: str, signature: Signature) -> bool:
        """Notes how a place looks now, and says whether it is still."""
        seen = self._seen.get(place)
        if seen is None or seen.signature != signature:
            seen = self._seen[place] = _Seen(signature, self._clock())
        seen.settled = self._clock() - seen.since >= self.settle
        return seen.settled


class Settled(Generic[Signature]):
    """What a source with a `Stillness` tells of it, as `Settling` asks.

    Args:
        settle: as for `Stillness`; with a marker nothing need settle.
        marker: a file that the writer of a checkpoint adds when it is done; None: it adds none.
        clock: as for `Stillness`.
    """

    def __init__(self, settle: float, marker: str | None, clock: Callable[[], float]) -> None:
        self._marker = marker
        self._stillness: Stillness[Signature] = Stillness(
            0.0 if marker is not None else settle, clock
        )

    @property
    def settle(self) -> float:
        """Seconds without a change that a checkpoint needs."""
        return self._stillness.settle

    @property
    def unsettled(self) -> bool:
        """Whether a checkpoint that is whole has not been still for long enough."""
        return self._stillness.unsettled
