"""A batch as columns, the form in which trainers call reward functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any

from evalsi.core.errors import DataError
from evalsi.core.records import Rollout

__all__ = ["rollouts_of_columns"]


def rollouts_of_columns(
    prompts: Sequence[object] | None,
    completions: Sequence[object] | None,
    columns: Mapping[str, Any],
) -> list[Rollout]:
    """One rollout a completion; a column that is no list of their number is no column.

    Raises:
        DataError: no completions, or a list of another length.
    """
    if completions is None:
        raise DataError("a reward function is called with `completions`, a list")
    held: dict[str, Any] = {"completion": completions}
    if prompts is not None:
        held["prompt"] = prompts
    held |= {name: column for name, column in columns.items() if _is_column(column)}
    for name, column in held.items():
        if len(column) != len(completions):
            raise DataError(
                f"column {name!r} has {len(column)} rows for {len(completions)} completions"
            )
    return [dict(zip(held, row, strict=True)) for row in zip(*held.values(), strict=True)]


def _is_column(column: object) -> bool:
    """Whether it holds a value a rollout: trainers also pass functions, states and flags."""
    return isinstance(column, Sized) and not isinstance(column, str | bytes | Mapping)
