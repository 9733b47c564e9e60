"""TensorBoard: event files in a folder of their own, shown beside the trainer's.

The only file that imports tensorboard.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from evalsi.core.errors import SpecError
from evalsi.training.trackers.contract import TrackerError
from evalsi.training.trackers.message import Message

__all__ = ["TensorBoard"]


class TensorBoard:
    """A folder below the one that `tensorboard --logdir` is given.

    Args:
        folder: is made with the first message.

    Raises:
        SpecError: tensorboard is not installed.
    """

    def __init__(self, folder: str | Path) -> None:
        self._library = _library()
        self._folder = Path(folder).resolve()
        self._writer: Any = None
        self.destination = f"tensorboard folder {self._folder}"

    def publish(self, messages: Iterable[Message]) -> Iterator[Message]:
        """As `Tracker.publish`: each message is on the disk before it is given back."""
        for message in messages:
            try:
                if self._writer is None:
                    self._folder.mkdir(parents=True, exist_ok=True)
                    self._writer = self._library.Writer(str(self._folder))
                for name, value in message.row().items():
                    self._writer.add_scalar(name, value, step=message.at)
                self._writer.flush()
            except OSError as error:
                self._writer = None
                raise TrackerError(f"{self.destination} cannot be written: {error}") from error
            yield message

    def has(self, message: Message) -> bool:
        """As `CanBeAsked.has`; numbers there have 32 bits."""
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        from tensorboard.util.tensor_util import make_ndarray

        if not self._folder.is_dir():
            return False
        held = EventAccumulator(str(self._folder), size_guidance={"tensors": 0})
        held.Reload()
        known = set(held.Tags()["tensors"])
        return all(
            name in known
            and any(
                event.step == message.at
                and math.isclose(
                    make_ndarray(event.tensor_proto).item(), value, rel_tol=1e-6, abs_tol=1e-30
                )
                for event in held.Tensors(name)
            )
            for name, value in message.row().items()
        )

    def close(self) -> None:
        """Ends the event file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _library() -> Any:
    try:
        import tensorboard.summary
    except ImportError as error:
        raise SpecError(
            "the tracker tensorboard needs tensorboard: pip install 'evalsi-training[tensorboard]'"
        ) from error
    return tensorboard.summary
