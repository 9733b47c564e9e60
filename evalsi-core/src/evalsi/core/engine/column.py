"""One component over a batch: views, cache keys, calls, and one result a record.

A unit is what an evaluator answers at once: a record, or for group scope all records of a prompt.
Within a batch identical content is evaluated once, even where its result may not be kept (an
error, a wall timeout): sixty-four copies of a program that hangs cost one deadline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

from evalsi.core.engine.cache import ContentCache
from evalsi.core.engine.digest import Keys
from evalsi.core.errors import EngineError
from evalsi.core.records import Record
from evalsi.core.results import ComponentResult, Errored, Failure, Result
from evalsi.core.spec.bound import Bound
from evalsi.core.views import reader, view

__all__ = ["Column"]


class Column:
    """The evaluation of one bound over one batch of records.

    Args:
        bound: the evaluator.
        rung: the rung that runs its code, for provenance and key, or "".
        records: the batch.
        groups: indices of the records of each prompt, for group scope.
        cache: where results are kept, or None to evaluate every record.
    """

    def __init__(
        self,
        bound: Bound,
        rung: str,
        records: Sequence[Record],
        groups: Sequence[Sequence[int]],
        cache: ContentCache | None,
    ) -> None:
        self.bound = bound
        self._by = replace(bound.by, rung=rung) if rung else bound.by
        self._name = bound.name
        self._cache = cache
        self._found: list[ComponentResult | None] = [None] * len(records)
        self._units: list[_Unit] = []
        self._planned: dict[bytes, _Unit] = {}
        metrics = sorted(bound.metrics.items())
        judge = "" if bound.judge is None else bound.judge.address
        self._keys = Keys((bound.entry, bound.min_isolation, metrics, judge, *astuple(self._by)))
        if bound.entry.endswith("_group"):
            self._plan_groups(records, groups)
        else:
            self._plan_records(records)
        size = bound.batch.max_records if bound.entry.endswith("_batch") else 1
        self._calls = [self._units[at : at + size] for at in range(0, len(self._units), size)]

    @property
    def calls(self) -> list[list[Record]]:
        """The records of every call that is needed."""
        return [[record for unit in call for record in unit.views] for call in self._calls]

    def give(self, number: int, results: Sequence[Result], seconds: float) -> None:
        """Takes the results of a call: of every record in it, in order."""
        at = 0
        for unit in self._calls[number]:
            own = tuple(results[at : at + len(unit.views)])
            at += len(unit.views)
            if unit.key is not None and self._cache is not None:
                self._cache.put(unit.key, own)
            self._fill(unit.rows, own, cached=False, seconds=seconds / len(results))
            for rows in unit.copies:
                self._fill(rows, own, cached=True)

    def fail(self, failure: Failure) -> None:
        """Errs every call: there is no place to run it."""
        for number, call in enumerate(self._calls):
            count = sum(len(unit.views) for unit in call)
            self.give(number, [Errored(failure)] * count, 0.0)
        self._calls = []

    def finished(self) -> list[ComponentResult]:
        """One result a record, in order; raises `EngineError` while a call is not given."""
        found = [component for component in self._found if component is not None]
        if len(found) != len(self._found):
            raise EngineError(f"{self.bound.name}: {len(self._found) - len(found)} calls dropped")
        return found

    def _plan_records(self, records: Sequence[Record]) -> None:
        content_of = reader(self.bound.fields, self.bound.metadata)
        for row, record in enumerate(records):
            self._plan((row,), (record,), content_of(record))

    def _plan_groups(self, records: Sequence[Record], groups: Sequence[Sequence[int]]) -> None:
        content_of = reader(self.bound.fields, self.bound.metadata)
        for rows in groups:
            members = [records[row] for row in rows]
            self._plan(rows, members, [content_of(record) for record in members])

    def _plan(self, rows: Sequence[int], records: Sequence[Record], content: object) -> None:
        """Answers a unit from the cache, or keeps one of each new content for a call."""
        key = None if self._cache is None else self._keys.key(content)
        if key is not None and self._cache is not None:
            if (kept := self._cache.get(key)) is not None:
                self._fill(rows, kept, cached=True)
                return
            if (same := self._planned.get(key)) is not None:
                same.copies.append(rows)
                return
        bound = self.bound
        views = [view(record, bound.fields, bound.metadata) for record in records]
        unit = _Unit(rows, views, key)
        self._units.append(unit)
        if key is not None:
            self._planned[key] = unit

    def _fill(
        self, rows: Sequence[int], results: Sequence[Result], *, cached: bool, seconds: float = 0.0
    ) -> None:
        for row, result in zip(rows, results, strict=True):
            self._found[row] = ComponentResult(self._name, result, self._by, cached, seconds)


class _Unit:
    __slots__ = ("copies", "key", "rows", "views")

    def __init__(self, rows: Sequence[int], views: list[Record], key: bytes | None) -> None:
        self.rows = rows
        self.views = views
        self.key = key
        self.copies: list[Sequence[int]] = []
