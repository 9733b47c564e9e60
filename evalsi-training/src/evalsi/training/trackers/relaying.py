"""The trainer's own writer relays what the outbox holds, so that a run has one writer."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from evalsi.core.errors import EvalsiError
from evalsi.training.trackers.contract import Tracker
from evalsi.training.trackers.delivery import Delivery
from evalsi.training.trackers.making import trackers_named
from evalsi.training.trackers.outbox import Outbox
from evalsi.training.trackers.writers import Write, Writer, tracker_of_logger

__all__ = ["Relay", "logged_by", "relay", "reported_to"]

T = TypeVar("T")

_LOG: Final = logging.getLogger(__name__)


class Relay:
    """Relays one outbox to what a training itself writes to.

    Args:
        outbox: is looked at.
        trackers: get what it holds; what goes wrong with them is logged.
        beside: on a thread, so that no step waits for a tracker; else in the caller's.
    """

    def __init__(
        self, outbox: Outbox, trackers: Iterable[Tracker], *, beside: bool = False
    ) -> None:
        self._outbox = outbox
        self._deliveries = [Delivery(outbox, tracker, _LOG.warning) for tracker in trackers]
        self._thread = ThreadPoolExecutor(1, "evalsi-relay") if beside else None
        self._looking: Future[None] | None = None
        self._seen = 0

    def look(self) -> None:
        """Relays what is new; costs next to nothing where nothing is. Call it at each step."""
        if self._looking is not None and not self._looking.done():
            return
        mark = self._outbox.mark
        if mark == self._seen and not any(delivery.owes for delivery in self._deliveries):
            return
        self._seen = mark
        if self._thread is None:
            self._look()
        else:
            self._looking = self._thread.submit(self._look)

    def close(self) -> None:
        """Relays what is left, and returns when that is through or was tried often enough."""
        if self._thread is not None:
            self._thread.shutdown()
        for delivery in self._deliveries:
            delivery.finish()
        self._deliveries = []

    def __enter__(self) -> Relay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _look(self) -> None:
        for delivery in self._deliveries:
            delivery.look()


def relay(
    training_run: str | Path, write: Write, *, destination: str = "the training loop"
) -> Relay:
    """Has a plain loop's own writer chart each result; for rank zero alone.

        with relay("evalsi-training/grpo-1", lambda row, step: run.log(row)) as results:
            for step in steps:
                ...
                results.look()

    Args:
        training_run: the folder `<log-dir>/<training-run>`, whoever fills it.
        write: gets numbers by name, and the step at which they belong; what it raises is logged,
            and the result is written later.
        destination: what is written to; another name has every result written anew.
    """
    return Relay(Outbox(training_run), [Writer(write, destination)])


def reported_to(names: Iterable[str], output_dir: str) -> list[Tracker]:
    """The trackers that a transformers trainer reports to, as this process already writes them.

    Args:
        names: `report_to` of its arguments.
        output_dir: of its arguments; TensorBoard gets a folder of its own beside the trainer's.
    """
    given = os.environ.get("TENSORBOARD_LOGGING_DIR")
    folder = Path(given).expanduser() if given else Path(output_dir) / "runs"
    return _found(names, lambda name: trackers_named([name], {}, folder / "evalsi")[0])


def logged_by(loggers: Iterable[object]) -> list[Tracker]:
    """The trackers that write through a Lightning trainer's loggers."""
    return _found(loggers, tracker_of_logger)


def _found(places: Iterable[T], tracker_of: Callable[[T], Tracker]) -> list[Tracker]:
    """A tracker a place, without those that have none: training goes on."""
    found: list[Tracker] = []
    for place in places:
        try:
            found.append(tracker_of(place))
        except EvalsiError as error:
            _LOG.warning("results are not relayed to %s: %s", place, error)
        except Exception:  # noqa: BLE001 - a stranger's
            _LOG.warning("results are not relayed to %s", place, exc_info=True)
    return found
