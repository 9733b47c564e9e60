"""Where rows come from: one reader a kind of place, each giving rows with their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from evalsi.core.run.spec import Dataset

__all__ = ["Numbered", "Source", "source_of"]

Numbered: TypeAlias = "tuple[int, Mapping[str, Any]]"
"""A row and its number in its place, from 1; lines without a row do not count."""


@dataclass(frozen=True, slots=True)
class Source:
    """Rows that can be read again and again.

    Attributes:
        name: the place, for messages and results.
        read: reads it from its start; raises `DataError`.
    """

    name: str
    read: Callable[[], Iterator[Numbered]]


def source_of(dataset: Dataset, folder: Path) -> Source:
    """The source that a spec names; relative paths start at `folder`. Nothing is read yet."""
    if dataset.inline is not None:
        records = dataset.inline.records
        return Source("dataset.inline.records", lambda: enumerate(records, 1))
    if dataset.uri is not None and dataset.uri.startswith("hf://"):
        from evalsi.core.run.dataset_hub import hub_rows

        uri = dataset.uri
        return Source(uri, lambda: hub_rows(uri))
    from evalsi.core.run.dataset_files import file_rows

    place = dataset.uri or str(folder / (dataset.path or ""))
    return Source(dataset.uri or dataset.path or "", lambda: file_rows(place))
