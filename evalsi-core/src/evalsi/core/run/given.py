"""Outputs that exist already: rows of a file, as rewards score them, evaluated as a run's."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from evalsi.core.chat import Output
from evalsi.core.engine import tools_for
from evalsi.core.errors import DataError
from evalsi.core.plugins import PluginHost, default_host
from evalsi.core.records import Record
from evalsi.core.run.dataset import content_of
from evalsi.core.run.dataset_files import file_rows
from evalsi.core.run.dataset_rows import Reading, found
from evalsi.core.run.identity import identity_of
from evalsi.core.run.items import Item
from evalsi.core.run.stages import stage_issues
from evalsi.core.run.work import Work
from evalsi.core.spec.binding import examine_and_bind
from evalsi.core.spec.bound import Bound, Ref
from evalsi.core.spec.document import enveloped
from evalsi.core.spec.model import Body
from evalsi.core.spec.source import read
from evalsi.core.spec.use import Use

__all__ = ["Outputs", "work_of_outputs"]


class Evaluators(Body):
    """The evaluators that a command line names."""

    default_name: ClassVar[str] = "evaluators"

    evaluators: tuple[Use, ...] = Field(min_length=1)
    judge: None = None  # the environment's

    def refs(self) -> list[Ref]:
        """The evaluators as uses."""
        places = enumerate(self.evaluators)
        return [use.at(("spec", "evaluators", number)) for number, use in places]


class Outputs:
    """Rows that hold outputs; rows of one id that stand together are trials of one record.

    Args:
        path: a JSONL, CSV or Parquet file.
        limit: at most so many records.

    Attributes:
        ids: the records' ids, in order.
        hash: SHA-256 over records and outputs.
        trials: rows of each record.

    Raises:
        DataError: a row cannot be read, records have different numbers of rows, or rows of one
            id are of different records.
    """

    def __init__(self, path: str, limit: int | None = None) -> None:
        self._path = path
        self._limit = limit
        digest = hashlib.sha256()
        counts: dict[str, int] = {}
        for item in self.items():
            name = item.record.id
            if name in counts:
                raise DataError(f"{path}: the rows of the id {name!r} do not stand together")
            counts[name] = len(item.outputs or ())
            digest.update(content_of(item.record))
            for output in item.outputs or ():
                digest.update(repr(output).encode("utf-8", "backslashreplace"))
        self.ids = tuple(counts)
        self.hash = digest.hexdigest()
        self.trials = self._even(counts)

    def items(self) -> Iterator[Item]:
        """The records with their outputs, read anew."""
        reading = Reading(self._path, {}, answered=True)
        rows = ((reading.record(row, number), row) for number, row in file_rows(self._path))
        groups = itertools.groupby(rows, key=lambda one: one[0].id)
        for _, group in itertools.islice(groups, self._limit):
            members = list(group)
            if len(members) > 1 and len({_asked(held) for held, _ in members}) > 1:
                told = f"the rows of the id {members[0][0].id!r} differ in prompt or reference"
                raise DataError(f"{self._path}: {told}, so they are no trials of one record")
            record = replace(members[0][0], output="", output_tokens=None)
            yield Item(record, None, tuple(_output(held, row) for held, row in members))

    def _even(self, counts: Mapping[str, int]) -> int:
        first = next(iter(counts), None)
        if first is None:
            raise DataError(f"{self._path} has no rows")
        for name, count in counts.items():
            if count != counts[first]:
                raise DataError(
                    f"{self._path} has {counts[first]} rows of the id {first!r} and {count} of "
                    f"{name!r}; the rows of an id are its trials: give each record as many"
                )
        return counts[first]


def work_of_outputs(
    path: str, names: Sequence[str], *, limit: int | None = None, host: PluginHost | None = None
) -> Work:
    """The work of evaluating a file's outputs.

    Raises:
        SpecError: an evaluator is not known, or needs params or a judge.
        DataError: the file cannot be read.
    """
    bounds = _bound(names, host or default_host())
    outputs = Outputs(path, limit)
    return Work(
        name=Path(path).name,
        size=len(outputs.ids),
        items=outputs.items,
        bounds=bounds,
        identity=identity_of({"spec": {}}, outputs.hash, {}, bounds),
        head={
            "spec": None,
            "dataset": {
                "source": path,
                "hash": outputs.hash,
                "n": len(outputs.ids),
                "ids": outputs.ids,
            },
            "target": None,
        },
        trials=outputs.trials,
    )


def _bound(names: Sequence[str], host: PluginHost) -> list[Bound]:
    opened = enveloped(read({"evaluators": list(names)}), Evaluators)
    document, bounds, issues = examine_and_bind(
        opened, Evaluators, host=host, tools=lambda ref, needs: tools_for(needs, ref.min_isolation)
    )
    if document is None or issues:
        raise opened.refused(issues)
    if wrong := stage_issues(bounds):
        raise opened.refused(wrong)
    return bounds


def _asked(record: Record) -> bytes:
    """What trials of one record have in common; each may have metadata of its own."""
    return content_of(replace(record, metadata={}))


def _output(record: Record, row: Mapping[str, Any]) -> Output:
    finish = found(row, "finish_reason")
    return Output(
        record.output,
        finish if isinstance(finish, str) else "stop",
        output_tokens=record.output_tokens,
    )
