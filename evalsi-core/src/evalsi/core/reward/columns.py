"""A batch as columns, the form in which trainers call reward functions.

Their tables (Arrow) give a column of mappings all keys in every row. So a null key is not there,
and a column may hold JSON objects as text instead, which keeps nulls that mean something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any

from evalsi.core.errors import DataError
from evalsi.core.records import REFERENCE_FIELDS, Rollout
from evalsi.core.reward.json_object import json_object
from evalsi.core.reward.reasoning import with_reasoning

__all__ = ["field_of_cell", "rollouts_of_columns"]


def rollouts_of_columns(
    prompts: Sequence[object] | None,
    completions: Sequence[object] | None,
    columns: Mapping[str, Any],
    reference_field: str | None = None,
) -> list[Rollout]:
    """One rollout a completion; a column that is no list of their number is no column.

    Args:
        prompts: a text or chat messages each, or None.
        completions: likewise.
        columns: what else the trainer passes. Mappings lose their null keys, those inside lists
            apart; text that is a JSON object is read, but never a reference.
        reference_field: the spec's `referenceField`.

    Raises:
        DataError: no completions, a list of another length, or a column that would take the place
            of the prompts or the completions.
    """
    if completions is None:
        raise DataError("a reward function is called with `completions`, a list")
    held: dict[str, Any] = {"completion": list(map(with_reasoning, completions))}
    if prompts is not None:
        held["prompt"] = prompts
    references = {*REFERENCE_FIELDS, reference_field}
    for name, column in columns.items():
        if _is_column(column):
            if name in held:
                raise DataError(f"the dataset has a column {name!r} beside {name}s; rename it")
            held[name] = column if name in references else list(map(field_of_cell, column))
    for name, column in held.items():
        if len(column) != len(completions):
            raise DataError(
                f"column {name!r} has {len(column)} rows for {len(completions)} completions"
            )
    return [dict(zip(held, row, strict=True)) for row in zip(*held.values(), strict=True)]


def field_of_cell(value: Any) -> Any:
    """A cell of a table as a rollout's field: without null keys, and JSON objects read."""
    if isinstance(value, str):
        read = json_object(value)
        return value if read is None else read
    return _without_nulls(value)


def _without_nulls(value: Any) -> Any:
    if type(value) is not dict:
        return value
    return {key: _without_nulls(held) for key, held in value.items() if held is not None}


def _is_column(column: object) -> bool:
    """Whether it holds a value a rollout: trainers also pass functions, states and flags."""
    return isinstance(column, Sized) and not isinstance(column, str | bytes | Mapping)
