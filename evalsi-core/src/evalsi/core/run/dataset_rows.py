"""From the rows of a dataset to records: a row's fields by name, and which of them are ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from evalsi.core.errors import DataError
from evalsi.core.records import Record, record_of
from evalsi.core.results import JSON
from evalsi.core.run.finite import not_finite
from evalsi.core.spec.issues import dotted

__all__ = ["Reading", "found", "key_of"]

_MISSING: Final = object()


class _Row(dict[str, Any]):
    """A rollout that knows where it was read."""

    place: str


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows become records.

    Attributes:
        name: what the rows come from, for messages.
        mapping: our fields to theirs.
        answered: whether the rows hold outputs; of others an output column is metadata.
    """

    name: str
    mapping: Mapping[str, str]
    answered: bool = False

    def id_of(self, row: Mapping[str, Any], number: int) -> str:
        """The row's id, or its number where it has none."""
        given = found(row, self.mapping.get("id", "id"))
        return str(number if given is None else given)

    def record(self, row: Mapping[str, Any], number: int) -> Record:
        """The record of a row; its output is the row's, or empty.

        Raises:
            DataError: the row has no input, or a field of a wrong type.
        """
        self._refuse_unwritable(row, number)
        rollout = self._rollout(row, number)
        reference = "reference" if "reference" in self.mapping else None
        record = record_of(rollout, number, reference)
        held = record.metadata.get("metadata")
        if not isinstance(held, Mapping):
            return record
        rest = {key: value for key, value in record.metadata.items() if key != "metadata"}
        return replace(record, metadata={**rest, **held})

    def _refuse_unwritable(self, row: Mapping[str, Any], number: int) -> None:
        try:
            place = not_finite(row)
        except RecursionError as error:
            raise DataError(f"{self.name}:{number} is nested too deeply; flatten it") from error
        if place is not None:
            raise DataError(
                f"{self.name}:{number}: {dotted(place)} is NaN or infinite, which is no number of "
                f"JSON; write null, or leave it out"
            )

    def _rollout(self, row: Mapping[str, Any], number: int) -> _Row:
        moved = {theirs for theirs in self.mapping.values() if theirs in row}
        rollout = _Row({key: value for key, value in row.items() if key not in moved})
        rollout.place = f"{self.name}:{number}"
        metadata: dict[str, Any] = {}
        for ours, theirs in self.mapping.items():
            value = found(row, theirs, _MISSING)
            if value is _MISSING:
                raise DataError(
                    f"{rollout.place} has no {theirs!r}, which dataset.mapping.{ours} names; "
                    f"it has {', '.join(map(str, row))}"
                )
            if ours.startswith("metadata."):
                metadata[ours.removeprefix("metadata.")] = value
            else:
                rollout[ours] = value
        if metadata:
            rollout["metadata"] = {**_mapping(rollout.get("metadata")), **metadata}
        self._ask(rollout)
        return rollout

    def _ask(self, rollout: _Row) -> None:
        """Puts what is asked at `prompt`, and of a run an empty output at `completion`."""
        asked = [rollout.pop(name, None) for name in ("messages", "input", "prompt")]
        prompt = next((one for one in asked if one is not None), None)
        if prompt is None and not self.answered:
            raise DataError(
                f"{rollout.place} has no input; name its field in dataset.mapping: "
                f"{{input: …}}; it has {', '.join(map(str, rollout))}"
            )
        rollout["prompt"] = prompt
        if not self.answered:
            own = rollout.get("completion")
            if own is not None:
                rollout["metadata"] = {"completion": own, **_mapping(rollout.get("metadata"))}
            rollout["completion"] = ""


def found(row: Mapping[str, Any], name: str, default: object = None) -> Any:
    """A row's field; a dotted name that is no key reaches into mappings."""
    if name in row or "." not in name:
        return row.get(name, default)
    here: Any = row
    for part in name.split("."):
        if not isinstance(here, Mapping) or part not in here:
            return default
        here = here[part]
    return here


def key_of(value: JSON) -> str:
    """A text that is equal for equal values: a stratum, or a cluster."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
