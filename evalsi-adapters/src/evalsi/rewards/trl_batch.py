"""A batch as TRL passes it: columns of equal length, and a key that tells it from every other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalsi.core.engine.digest import digest
from evalsi.core.errors import DataError
from evalsi.core.reward.columns import rollouts_of_columns
from evalsi.rewards.plain import NotPlain, plain

if TYPE_CHECKING:
    from evalsi.core.records import Rollout

__all__ = ["Batch", "batch_of"]


@dataclass(frozen=True, slots=True)
class Batch:
    """What one call is about.

    Attributes:
        columns: prompts, completions and the dataset's columns, by name.
        key: a digest of them.
        opaque: the values that the key knows by identity, because they are no plain data (images);
            it holds as long as they live.
    """

    columns: Mapping[str, Sequence[Any]]
    key: bytes
    opaque: Sequence[object]

    def __len__(self) -> int:
        return len(self.columns.get("completions", ()))

    def rollouts(self, reference_field: str | None) -> list[Rollout]:
        """One a completion; `reference_field` as in the spec.

        Raises:
            DataError: no completions, or a column of another length.
        """
        others = dict(self.columns)
        prompts, completions = others.pop("prompts", None), others.pop("completions", None)
        return rollouts_of_columns(prompts, completions, others, reference_field)


def batch_of(named: Mapping[str, object]) -> Batch:
    """The batch of TRL's keywords; one that is None is not there.

    Raises:
        DataError: a keyword is no column, and so one that no tested version passes.
    """
    columns = {name: _column(name, held) for name, held in named.items() if held is not None}
    if "completion_ids" in columns:
        # Their number is what a record keeps of them; to tell batches apart it is less to read.
        columns["completion_tokens"] = [len(ids) for ids in columns.pop("completion_ids")]
    opaque: list[object] = []
    parts = []
    for name, column in columns.items():
        part: object = digest(column)
        if part is None:
            columns[name] = list(map(_plain, column))
            part = [_part(value, opaque) for value in columns[name]]
        parts.append((name, part))
    key = digest(parts)
    assert key is not None  # names, bytes and numbers
    return Batch(columns, key, opaque)


def _column(name: str, given: object) -> Sequence[Any]:
    if isinstance(given, Sized) and not isinstance(given, str | bytes | Mapping):
        return given  # type: ignore[return-value]
    raise DataError(
        f"TRL passed `{name}`, {type(given).__name__} and no column: no tested version does that "
        f"(evalsi.rewards.trl.TESTED)"
    )


def _plain(value: object) -> object:
    """What a tensor or an array holds; anything else as it is."""
    try:
        return plain(value)
    except NotPlain:
        return value


def _part(value: object, opaque: list[object]) -> bytes | int:
    key = digest(value)
    if key is None:
        opaque.append(value)
        return id(value)
    return key
