"""Brings messages from the outbox to one tracker: none lost, none sent again once confirmed.

What fails is told once, put off, and never ends whoever evaluates or trains.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from evalsi.core.errors import EvalsiError
from evalsi.training.trackers.contract import CanBeAsked, Tracker
from evalsi.training.trackers.message import Message
from evalsi.training.trackers.outbox import Outbox
from evalsi.training.trackers.receipts import Receipts

__all__ = ["TRIES", "Delivery"]

TRIES: Final = 3
"""How often `finish` tries before it leaves the rest to a later start."""

_LOG: Final = logging.getLogger(__name__)
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 300.0


@dataclass(slots=True)
class Delivery:
    """What stands between one outbox and one tracker.

    Attributes:
        outbox: holds the messages.
        tracker: gets them.
        tell: is told, in a sentence, of what goes wrong, and once of each thing.
        clock: seconds that only go forward.
        sleep: waits.
        confirmed: how many messages were confirmed so far.
    """

    outbox: Outbox
    tracker: Tracker
    tell: Callable[[str], None] = lambda _: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    confirmed: int = field(init=False, default=0)
    _told: str = field(init=False, default="")
    _pause_s: float = field(init=False, default=_FIRST_PAUSE_S)
    _not_before: float = field(init=False, default=0.0)

    def look(self) -> None:
        """Tries once to send what is not confirmed, unless that failed a moment ago.

        After each failure the pause doubles, from 1 second to 5 minutes.
        """
        if self.clock() < self._not_before:
            return
        if self._safely(self._send):
            self._not_before, self._pause_s, self._told = 0.0, _FIRST_PAUSE_S, ""
        else:
            self._not_before = self.clock() + self._pause_s
            self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)

    @property
    def owes(self) -> bool:
        """Whether the last try failed, and it is time for another."""
        return bool(self._not_before) and self.clock() >= self._not_before

    def finish(self) -> bool:
        """Tries a few times, with pauses, and closes the tracker; whether nothing is left."""
        try:
            for number in range(TRIES):
                if number:
                    self.sleep(_FIRST_PAUSE_S * number)
                if self._safely(self._send):
                    return True
            return False
        finally:
            self._safely(self.tracker.close)

    def _send(self) -> None:
        with self.outbox.receipts(self.tracker.destination) as receipts:
            todo = self._todo(receipts)
            for message in self.tracker.publish(_announced(todo, receipts)) if todo else ():
                receipts.confirm(message)
                self.confirmed += 1

    def _todo(self, receipts: Receipts) -> list[Message]:
        """What is to be sent: a message in doubt is looked for first, where that can be done."""
        todo = []
        for message in self.outbox.unconfirmed(receipts):
            doubt = receipts.doubtful(message)
            if doubt and isinstance(self.tracker, CanBeAsked) and self.tracker.has(message):
                receipts.confirm(message)
                self.confirmed += 1
            else:
                todo.append(message)
        return todo

    def _safely(self, act: Callable[[], None]) -> bool:
        try:
            act()
        except EvalsiError as error:
            self._tell_once(str(error))
        except Exception as error:  # noqa: BLE001 - a stranger's tracker does not end a training
            _LOG.debug("what %s raised", self.tracker.destination, exc_info=True)
            self._tell_once(f"{self.tracker.destination}: {type(error).__name__}: {error}")
        else:
            return True
        return False

    def _tell_once(self, what: str) -> None:
        if what != self._told:
            self.tell(what)
        self._told = what


def _announced(messages: list[Message], receipts: Receipts) -> Iterator[Message]:
    """Notes each message when a tracker takes it, so that a kill behind it leaves a doubt."""
    for message in messages:
        receipts.sending(message)
        yield message
