"""The panel of a run: which records are asked, what identifies them, and how they are read again.

Nothing but the ids is kept: records are read anew each time they are needed, so that a large
dataset is never in memory. The hash covers every record in its order; a reader compares it at its
end, because a file may change while a run takes hours.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evalsi.core.errors import DataError
from evalsi.core.run.dataset_rows import Reading, found, key_of
from evalsi.core.run.dataset_source import Numbered, Source, source_of
from evalsi.core.run.items import Item
from evalsi.core.run.sample import sampled

if TYPE_CHECKING:
    from evalsi.core.records import Record
    from evalsi.core.run.spec import Dataset

__all__ = ["Panel", "content_of", "panel_of"]

_SORTED: Final = json.JSONEncoder(sort_keys=True).encode


class Panel:
    """The records that a spec chooses.

    Args:
        source: where the rows are.
        dataset: which of them.
        cluster_field: the field that names a record's cluster, or None.

    Attributes:
        name: where the records come from.
        ids: their ids, in order.
        hash: SHA-256 over their content.

    Raises:
        DataError: a row cannot be read, an id is there twice or not at all, or nothing is left.
    """

    def __init__(self, source: Source, dataset: Dataset, cluster_field: str | None) -> None:
        self.name = source.name
        self._source = source
        self._dataset = dataset
        self._cluster_field = cluster_field
        self._reading = Reading(source.name, dataset.mapping)
        self._chosen = self._choice()
        digest = hashlib.sha256()
        ids: dict[str, int] = {}
        for number, item in self._items():
            held = ids.setdefault(item.record.id, number)
            if held != number:
                raise DataError(
                    f"{self.name}:{number} has the id {item.record.id!r} of row {held}; ids are "
                    f"unique: mend it, or name another field in dataset.mapping: {{id: …}}"
                )
            digest.update(content_of(item.record))
        self.ids = tuple(ids)
        self.hash = digest.hexdigest()
        self._refuse_gaps()

    def __len__(self) -> int:
        return len(self.ids)

    def items(self) -> Iterator[Item]:
        """The records, read anew.

        Raises:
            DataError: behind the last one, when they are no longer those that were hashed.
        """
        digest = hashlib.sha256()
        for _, item in self._items():
            digest.update(content_of(item.record))
            yield item
        if digest.hexdigest() != self.hash:
            raise DataError(f"{self.name} changed while the run read it; start the run anew")

    def _items(self) -> Iterator[tuple[int, Item]]:
        for number, row in itertools.islice(self._rows(), self._first()):
            record = self._reading.record(row, number)
            yield number, Item(record, self._cluster(row, number))

    def _rows(self) -> Iterator[Numbered]:
        for number, row in self._passed():
            if self._chosen is None or self._reading.id_of(row, number) in self._chosen:
                yield number, row

    def _passed(self) -> Iterator[Numbered]:
        wanted = {name: _options(value) for name, value in self._dataset.filter.items()}
        for number, row in self._source.read():
            if all(found(row, name) in options for name, options in wanted.items()):
                yield number, row

    def _first(self) -> int | None:
        return None if self._dataset.seed is not None else self._dataset.limit

    def _choice(self) -> set[str] | None:
        """The ids that are asked; None: all."""
        dataset = self._dataset
        panel = None if dataset.ids is None else {str(one) for one in dataset.ids}
        if dataset.seed is None or dataset.limit is None:
            return panel
        rows = ((self._reading.id_of(row, n), self._stratum(row, n)) for n, row in self._passed())
        kept = (row for row in rows if panel is None or row[0] in panel)
        return sampled(kept, dataset.limit, dataset.seed)

    def _stratum(self, row: Mapping[str, Any], number: int) -> str:
        field = self._dataset.stratify
        return "" if field is None else self._field(row, number, field, "dataset.stratify")

    def _cluster(self, row: Mapping[str, Any], number: int) -> str | None:
        field = self._cluster_field
        return None if field is None else self._field(row, number, field, "clusterField")

    def _field(self, row: Mapping[str, Any], number: int, field: str, told_by: str) -> str:
        value = found(row, field)
        if value is None:
            raise DataError(f"{self.name}:{number} has no {field!r}, which {told_by} names")
        return key_of(value)

    def _refuse_gaps(self) -> None:
        dataset = self._dataset
        if dataset.ids is not None and dataset.limit is None:
            held = set(self.ids)
            missing = [str(one) for one in dataset.ids if str(one) not in held]
            if missing:
                shown = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
                raise DataError(f"{self.name} has no record {shown}, which dataset.ids names")
        if not self.ids:
            raise DataError(f"{self.name} has no record that the spec lets through")


def panel_of(dataset: Dataset, folder: Path, cluster_field: str | None = None) -> Panel:
    """The panel that a spec describes; relative paths start at `folder`."""
    return Panel(source_of(dataset, folder), dataset, cluster_field)


def _options(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def content_of(record: Record) -> bytes:
    """A record's content as a line to hash."""
    held = (record.id, record.messages or record.input, record.reference, dict(record.metadata))
    return _SORTED(held).encode() + b"\n"
