"""Which rollouts belong to one prompt, for evaluators of group scope."""

from __future__ import annotations

from collections.abc import Sequence

from evalsi.core.engine.digest import digest
from evalsi.core.errors import DataError
from evalsi.core.records import Record

__all__ = ["group_key", "groups_of"]


def groups_of(records: Sequence[Record], group_field: str | None) -> list[list[int]]:
    """Indices of the records of each group, in order of first appearance."""
    groups: dict[object, list[int]] = {}
    for index, record in enumerate(records):
        groups.setdefault(group_key(record, group_field), []).append(index)
    return list(groups.values())


def group_key(record: Record, group_field: str | None) -> object:
    """What a group's records share: the group field's value, by default the prompt.

    Raises:
        DataError: the record has no such field.
    """
    if group_field is None:
        if record.messages is None:
            return record.input
        key = digest(record.messages)
        if key is None:
            raise DataError(
                f"the prompt of rollout {record.id} is not plain data, so its group is not known; "
                f"set groupField"
            )
        return key
    if group_field not in record.metadata:
        raise DataError(f"rollout {record.id} has no {group_field!r}, the spec's groupField")
    return digest(record.metadata[group_field])
