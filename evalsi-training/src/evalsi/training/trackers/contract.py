"""What a tracker is: a place where people watch a training run, such as MLflow.

    class Mine:
        def __init__(self, url):
            self.destination = f"mine {url}"

        def publish(self, messages):
            for message in messages:
                send(message.at, message.row())
                yield message

        def close(self):
            pass

`check_tracker` of `evalsi.training.trackers.testing` tries whether a tracker keeps this promise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from evalsi.core.errors import EvalsiError
from evalsi.training.trackers.message import Message

__all__ = ["CanBeAsked", "Tracker", "TrackerError"]


class TrackerError(EvalsiError):
    """A tracker did not take a message; it is offered again later."""

    kind = "server"


class Tracker(Protocol):
    """What a plugin of the kind `tracker` is.

    Attributes:
        destination: where it writes, such as `mlflow run 0f3c…`: what was confirmed there is not
            sent there again. Two places have two names, and none holds a password.
    """

    destination: str

    def publish(self, messages: Iterable[Message]) -> Iterator[Message]:
        """Sends messages, and gives each one back when the place has it.

        A message is taken from `messages` when it is about to be sent, not before: one that was
        taken and not given back may be there, and is sent again. Steps come in any order.

        Raises:
            TrackerError: the place cannot be reached now, or refuses.
        """
        ...

    def close(self) -> None:
        """Lets go of what is held; nothing is sent afterwards."""
        ...


@runtime_checkable
class CanBeAsked(Protocol):
    """What a tracker has beside if its place can be asked, so that nothing is there twice."""

    def has(self, message: Message) -> bool:
        """Whether the place holds this message, with these values.

        Raises:
            TrackerError: it cannot be asked now.
        """
        ...
