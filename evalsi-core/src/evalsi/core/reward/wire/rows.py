"""A record as the row that travels: what no evaluator reads stays at home."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalsi.core.errors import DataError
from evalsi.core.records import REFERENCE_FIELDS, Record
from evalsi.core.reward.wire.json_bytes import NotCarried, encoded

__all__ = ["Reads", "row_of_record"]


@dataclass(frozen=True, slots=True)
class Reads:
    """What a reward's evaluators, and the grouping by prompt, read of a record.

    Attributes:
        fields: fields of `Record`, metadata apart.
        metadata: keys of its metadata, or None for all of them.
    """

    fields: frozenset[str]
    metadata: frozenset[str] | None


def row_of_record(record: Record, reads: Reads, reference_field: str | None) -> bytes:
    """The row, from which `record_of` makes a record that is equal in all that is read.

    Args:
        record: made by `record_of`.
        reads: what is read.
        reference_field: the spec's, which `record` was made with.

    Raises:
        DataError: a field holds what JSON cannot carry; the message names rollout and field.
    """
    held = record.metadata
    chosen = held.keys() if reads.metadata is None else reads.metadata & held.keys()
    row: dict[str, object] = {"id": record.id, **{key: held[key] for key in chosen}}
    # Each is written even where nothing reads it: else a column of that name would be taken for it.
    taken = {*held, reference_field}
    row[_free(("completion", "output"), taken)] = _read(record, reads, "output")
    row[_free(("prompt", "input"), taken)] = _prompt(record, reads)
    row[reference_field or _free(REFERENCE_FIELDS, taken)] = record.reference
    if "output_tokens" in reads.fields:
        row["completion_tokens"] = record.output_tokens
    return _encoded(row, record.id)


def _free(names: Sequence[str], taken: set[str | None]) -> str:
    return next(name for name in names if name not in taken)


def _prompt(record: Record, reads: Reads) -> object:
    asked = record.messages if "messages" in reads.fields else None
    return _read(record, reads, "input") if asked is None else asked


def _read(record: Record, reads: Reads, field: str) -> object:
    return getattr(record, field) if field in reads.fields else ""


def _encoded(row: Mapping[str, object], name: str) -> bytes:
    try:
        return encoded(row)
    except NotCarried as error:
        for field, value in row.items():
            try:
                encoded(value)
            except NotCarried as wrong:
                raise DataError(
                    f"rollout {name}: `{field}` {wrong}, so that it can travel to the server"
                ) from wrong
        raise DataError(f"rollout {name} {error}") from error
