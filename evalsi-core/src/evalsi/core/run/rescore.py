"""Scores the outputs of a result anew, and tells what changed, record by record.

All of its scores are new: numbers of two versions of an evaluator never stand in one result.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalsi.core.errors import DataError
from evalsi.core.results import JSON
from evalsi.core.run.document import ResultFile
from evalsi.core.run.identity import identity_of
from evalsi.core.run.items import Item
from evalsi.core.run.lines import item_of
from evalsi.core.run.plan import Checked
from evalsi.core.run.rows import by_row
from evalsi.core.run.work import Work
from evalsi.core.spec.files import content_digest

__all__ = ["Change", "Changes", "versions", "work_of_result"]


@dataclass(frozen=True, slots=True)
class Change:
    """One result of one output that is no longer what it was.

    Attributes:
        id: the record's id.
        trial: which of its outputs.
        evaluator: the name of the use.
        before: status, value and metrics, or None where there was no such evaluator.
        after: the same of the new result, or None where there is none any more.
    """

    id: str
    trial: int
    evaluator: str
    before: JSON
    after: JSON


class Changes:
    """Compares the rows of a new result with those of an earlier one, one after the other."""

    def __init__(self, earlier: ResultFile) -> None:
        self._rows = earlier.rows()
        self.found: list[Change] = []

    def take(self, row: Mapping[str, Any]) -> None:
        """Takes the next row."""
        before, after = next(self._rows)["scores"], row["scores"]
        for name in [*before, *(name for name in after if name not in before)]:
            held, now = _essence(before.get(name)), _essence(after.get(name))
            if held != now:
                self.found.append(Change(row["id"], row["trial"], name, held, now))


def work_of_result(earlier: ResultFile, given: Checked) -> Work:
    """The work of scoring a result's outputs with a spec's evaluators.

    Its target, its records and its trials are the result's; evaluators, gates and the rest are
    the spec's.

    Raises:
        DataError: the result lacks what is needed.
    """
    head, spec = earlier.head, given.document.spec
    try:
        trials, dataset, target = head["trials"], head["dataset"], head["target"]
        ids, data_hash = tuple(dataset["ids"]), dataset["hash"]
        held_by = head["evaluators"]
    except (KeyError, TypeError) as error:
        raise DataError(f"{earlier.path} is no result of this version: {error}") from error
    if type(trials) is not int or trials < 1:
        raise DataError(f"{earlier.path} is no result of this version: it has {trials!r} trials")
    document = _document(given.document.as_dict(), head)
    return Work(
        name=given.document.name,
        size=len(ids),
        items=lambda: _items(earlier, ids, trials),
        bounds=given.bounds,
        # Only a rescoring of these very outputs is gone on with, and never the result itself,
        # whose scores are not new. A run compares what it has itself, so it goes on with either.
        identity={
            **identity_of(document, data_hash, target or {}, given.bounds),
            "outputs": content_digest(earlier.path),
        },
        head={
            "spec": document,
            "spec_hash": given.document.fingerprint,
            "dataset": dataset,
            "target": target,
            "rescored": {"spec_hash": head.get("spec_hash"), "evaluators": held_by},
        },
        trials=trials,
        gates=given.gates,
        max_error_rate=spec.max_error_rate,
        deadline_s=spec.deadline_seconds,
    )


def versions(earlier: ResultFile, given: Checked) -> list[str]:
    """A line for each evaluator that is not the one that scored the result."""
    before = earlier.head["evaluators"]
    lines = []
    for bound in given.bounds:
        held, now = before.get(bound.name), by_row(bound.by)
        if held is None:
            lines.append(f"{bound.name}: new, {_told(now)}")
        elif any(held.get(name, "") != now.get(name, "") for name in held if name != "rung"):
            lines.append(f"{bound.name}: {_told(held)} before, {_told(now)} now")
    kept = {bound.name for bound in given.bounds}
    return [*lines, *(f"{name}: not in the spec" for name in before if name not in kept)]


def _items(earlier: ResultFile, ids: Sequence[str], trials: int) -> Iterator[Item]:
    rows = earlier.rows()
    for name in ids:
        group = list(itertools.islice(rows, trials))
        if [row.get("id") for row in group] != [name] * trials:
            raise DataError(f"{earlier.path} has not {trials} rows of record {name!r} in its place")
        try:
            item, _ = item_of(group), [row["scores"] for row in group]
        except (KeyError, TypeError) as error:
            told = f"a row of record {name!r} is none that `evalsi run` writes: {error}"
            raise DataError(f"{earlier.path}: {told}") from error
        yield item
    if next(rows, None) is not None:
        raise DataError(f"{earlier.path} has more rows than its {len(ids)} records have trials")


def _document(document: dict[str, Any], head: Mapping[str, Any]) -> dict[str, Any]:
    """The spec as it is true of the outputs: who gave them is the result's to say."""
    held = (head.get("spec") or {}).get("spec", {})
    body = {name: value for name, value in document["spec"].items() if name != "trials"}
    own = {name: held[name] for name in ("target", "trials") if name in held}
    return {**document, "spec": {**body, **own}}


def _essence(result: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {name: result[name] for name in ("status", "value", "metrics") if name in result}


def _told(by: Mapping[str, str]) -> str:
    names = ("evaluator", "version", "backend", "params")
    return " ".join(by[name] for name in names if name in by)
