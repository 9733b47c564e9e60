"""The records of a result document as its lines, each told to the tally on its way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from evalsi.core.records import Record
from evalsi.core.run.items import Item
from evalsi.core.run.journal import RunJournal
from evalsi.core.run.results import RecordResult
from evalsi.core.run.rows import encoded, output_of, result_of
from evalsi.core.run.tally import Tally
from evalsi.core.run.work import Work

__all__ = ["Lines", "item_of"]


class Lines:
    """The lines of a run that is done, one a trial, in the order of its records.

    Args:
        work: the run.
        journal: its outputs and scores.
        tally: takes in every record.
        watch: is given every row.
    """

    def __init__(
        self,
        work: Work,
        journal: RunJournal,
        tally: Tally,
        watch: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._work = work
        self._journal = journal
        self._tally = tally
        self._watch = watch

    def __iter__(self) -> Iterator[str]:
        for number, item in enumerate(self._work.items()):
            outputs, scores = self._journal.output_rows(number), self._journal.score_rows(number)
            results = [
                RecordResult(
                    item.record.id,
                    trial,
                    output_of(output),
                    {name: result_of(row) for name, row in held.items()},
                )
                for trial, (output, held) in enumerate(zip(outputs, scores, strict=True))
            ]
            self._tally.add(results, item.cluster, item.record.metadata)
            for trial, (output, held) in enumerate(zip(outputs, scores, strict=True)):
                row = {"id": item.record.id, "trial": trial, **_asked(item)}
                row |= {"output": output, "scores": held}
                self._watch(row)
                yield encoded(row)


def _asked(item: Item) -> dict[str, Any]:
    record = item.record
    row: dict[str, Any] = {}
    if record.messages is None:
        row["input"] = record.input
    else:
        row["messages"] = record.messages
    if record.reference is not None:
        row["reference"] = record.reference
    if record.metadata:
        row["metadata"] = dict(record.metadata)
    if item.cluster is not None:
        row["cluster"] = item.cluster
    return row


def item_of(rows: list[dict[str, Any]]) -> Item:
    """The item of one record that the lines of its trials tell, with its outputs."""
    first = rows[0]
    record = Record(
        id=first["id"],
        input=first.get("input", ""),
        reference=first.get("reference"),
        metadata=first.get("metadata", {}),
        messages=first.get("messages"),
    )
    return Item(record, first.get("cluster"), tuple(output_of(row["output"]) for row in rows))
