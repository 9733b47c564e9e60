"""Trackers made of what a training loop has at hand: a function, or a Lightning logger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from evalsi.training.trackers.contract import Tracker
from evalsi.training.trackers.message import AXIS, Message

__all__ = ["Write", "Writer", "tracker_of_logger"]

Write: TypeAlias = Callable[[dict[str, float], int], object]
"""Charts numbers by name at a step."""


class Writer:
    """A tracker that hands each message to a function; what that raises means not taken.

    Args:
        write: gets the row and its step; `evalsi/step` is in the row too, for an axis of its own.
        destination: what the function writes to; another name has every step written anew.
    """

    def __init__(self, write: Write, destination: str) -> None:
        self._write = write
        self.destination = destination

    def publish(self, messages: Iterable[Message]) -> Iterator[Message]:
        """As `Tracker.publish`."""
        for message in messages:
            self._write({**message.row(), AXIS: float(message.at)}, message.at)
            yield message

    def close(self) -> None:
        """Holds nothing: the function is its owner's."""


def tracker_of_logger(logger: Any) -> Tracker:
    """The tracker that writes through a Lightning logger."""
    name = f"{type(logger).__name__} {logger.name}/{logger.version}"
    experiment = getattr(logger, "experiment", None)
    if hasattr(experiment, "define_metric"):  # W&B, whose axis must be told
        from evalsi.training.trackers.wandb import Wandb

        return Wandb(experiment)
    return Writer(lambda row, step: logger.log_metrics(row, step=step), name)
