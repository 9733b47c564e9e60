"""The outbox of a training run: a message a measured step, and what each place confirmed of them.

It lies in the run's own folder, so that whoever trains can relay what another process evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evalsi.core.durable import publish
from evalsi.core.errors import DataError
from evalsi.training.steps import Step, in_order
from evalsi.training.trackers.message import Message, message_of
from evalsi.training.trackers.receipts import Receipts, receipts_of

if TYPE_CHECKING:
    from evalsi.training.curve import Curve

__all__ = ["Outbox"]

_FORMAT: Final = "evalsi.message/1"


class Outbox:
    """The folder `<log-dir>/<training-run>/outbox`.

    Args:
        training_run: the folder of the training run, `<log-dir>/<training-run>`.
    """

    def __init__(self, training_run: str | Path) -> None:
        self.folder = Path(training_run) / "outbox"

    def fill(self, curve: Curve) -> None:
        """Leaves a message of each step that was measured, where there is none of this content.

        What a kill kept from being left is left by the next call. A step with an error has none:
        nothing was measured. For the one process that writes the training run.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        for half in self.folder.glob(".*.json.*"):
            half.unlink(missing_ok=True)
        gates = tuple(map(str, curve.gates))
        now = datetime.now(UTC).isoformat()
        for result in curve.results:
            if result.error or not result.summaries:
                continue
            message = message_of(result, curve.training_run, regression=gates, made=now)
            held = self._held(message.step)
            if held is None or held.digest != message.digest:
                row = {"format": _FORMAT, **asdict(message)}
                del row["revision"]
                publish(self._path(message.step), json.dumps(row, indent=1) + "\n")

    def messages(self) -> list[Message]:
        """Every message, in the order of the steps.

        Raises:
            DataError: one cannot be read.
        """
        found = [_read(path) for path in self.folder.glob("step-*.json")]
        return sorted(found, key=lambda message: in_order(message.step))

    def unconfirmed(self, receipts: Receipts) -> Iterator[Message]:
        """What a place has not confirmed; what replaces something that it did bears a revision."""
        for message in self.messages():
            if not receipts.confirmed(message):
                yield replace(message, revision=receipts.revision(message))

    def receipts(self, destination: str) -> AbstractContextManager[Receipts]:
        """Holds the receipts of a place; raises `DataError` while another process does."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return receipts_of(self.folder, destination)

    @property
    def mark(self) -> int:
        """A number that changes when a message is left; cheap to ask for."""
        try:
            return self.folder.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def _held(self, step: Step) -> Message | None:
        path = self._path(step)
        try:
            return _read(path) if path.exists() else None
        except DataError:  # it is written anew
            return None

    def _path(self, step: Step) -> Path:
        return self.folder / f"step-{step}.json"


def _read(path: Path) -> Message:
    try:
        row: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if row.pop("format") != _FORMAT:
            raise DataError(f"{path} is of another version than {_FORMAT}")
        row["regression"] = tuple(row["regression"])
        return Message(**row)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path} cannot be read: {error}; evaluate that step again") from error
