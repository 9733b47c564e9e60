"""What one place has confirmed: a journal beside the messages, written by one process at a time.

A line says that a message is about to be sent, or that it was confirmed. One that was about to be
sent and is not confirmed may be there: whoever was sending it was killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from evalsi.core.durable import Journal
from evalsi.core.errors import DataError
from evalsi.training.trackers.message import Message

__all__ = ["Receipts", "receipts_of"]

_FORMAT: Final = "evalsi.receipts/1"


class Receipts:
    """The receipts of one place, held while it is written to."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._confirmed: dict[str, list[str]] = {}
        self._sending: dict[str, str] = {}

    def confirmed(self, message: Message) -> bool:
        """Whether the place has this step with this content."""
        return self._held(message)[-1:] == [message.digest]

    def doubtful(self, message: Message) -> bool:
        """Whether it was being sent when its sender was killed, or failed."""
        return self._sending.get(str(message.step)) == message.digest

    def revision(self, message: Message) -> int:
        """How many other contents of this step were confirmed before."""
        return len(self._held(message))

    def sending(self, message: Message) -> None:
        """Notes that a message is about to be sent."""
        self._take(str(message.step), message.digest, confirmed=False)
        self._note(message, "sending")

    def confirm(self, message: Message) -> None:
        """Notes that the place has a message."""
        self._take(str(message.step), message.digest, confirmed=True)
        self._note(message, "confirmed")

    def _held(self, message: Message) -> list[str]:
        return self._confirmed.get(str(message.step), [])

    def _take(self, step: str, digest: str, *, confirmed: bool) -> None:
        if confirmed:
            self._confirmed.setdefault(step, []).append(digest)
            self._sending.pop(step, None)
        else:
            self._sending[step] = digest

    def _note(self, message: Message, what: str) -> None:
        row = {"step": message.step, "digest": message.digest, "is": what}
        self._journal.append(json.dumps(row).encode())

    def _read(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            self._take(str(row["step"]), row["digest"], confirmed=row["is"] == "confirmed")


@contextlib.contextmanager
def receipts_of(folder: Path, destination: str) -> Iterator[Receipts]:
    """Holds the receipts of a place.

    Raises:
        DataError: another process writes to that place now, or the file is broken.
    """
    name = hashlib.sha256(destination.encode()).hexdigest()[:16]
    path = folder / f"receipts-{name}.jsonl"
    with Journal(path, resume=True) as journal:
        receipts = Receipts(journal)
        try:
            rows = [json.loads(line) for line in journal.lines()]
            if not rows:
                head = {"format": _FORMAT, "destination": destination}
                journal.append(json.dumps(head).encode())
            elif rows[0]["format"] != _FORMAT:
                raise DataError(f"{path} is of another version than {_FORMAT}")
            receipts._read(rows[1:])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path} cannot be read: {error}; what it confirmed is known to the tracker alone, "
                f"remove it to have every step sent anew"
            ) from error
        yield receipts
