"""A record limited to what its evaluator reads, and the content that keys its cache entry."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from operator import attrgetter

from evalsi.core.records import Record

__all__ = ["reader", "view"]


def view(record: Record, fields: Collection[str], metadata: Collection[str] | None) -> Record:
    """The record limited to `fields`, and its metadata to the keys in `metadata` (None: all)."""
    limited = object.__new__(Record)
    put = object.__setattr__
    for name in fields:
        put(limited, name, getattr(record, name))
    if metadata is None:
        put(limited, "metadata", record.metadata)
    elif metadata:
        held = record.metadata
        put(limited, "metadata", {key: held[key] for key in metadata if key in held})
    return limited


def reader(fields: Sequence[str], metadata: Collection[str] | None) -> Callable[[Record], object]:
    """A function that gives the plain data that a view of those fields holds, for cache keys."""
    names = (*fields, "metadata") if metadata is None else tuple(fields)
    if not metadata:
        return attrgetter(*names) if names else lambda _: None

    def read(record: Record) -> object:
        held = record.metadata
        chosen = {key: held[key] for key in metadata if key in held}
        return [getattr(record, name) for name in names], chosen

    return read
