"""A record with the row in which it travels: encoded once, when it is read."""

from __future__ import annotations

from dataclasses import dataclass

from evalsi.core.records import Record
from evalsi.core.reward.wire import Reads, row_of_record

__all__ = ["Travelling", "travelling"]


@dataclass(frozen=True, slots=True)
class Travelling(Record):
    """A record, and its row as JSON."""

    row: bytes = b""


def travelling(record: Record, reads: Reads, reference_field: str | None) -> Travelling:
    """The record with its row; raises `DataError` for what JSON cannot carry."""
    return Travelling(
        record.id,
        record.input,
        record.output,
        record.reference,
        record.output_tokens,
        record.metadata,
        record.messages,
        row_of_record(record, reads, reference_field),
    )
