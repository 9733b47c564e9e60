"""A batch in requests of a size that servers take: a prompt's rollouts stay together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evalsi.core.reward.groups import groups_of
from evalsi.core.reward.loaded import Terms
from evalsi.core.reward.remote.travelling import Travelling

__all__ = ["MOST_ROWS", "batches_of"]

MOST_ROWS: Final = 512
"""Rollouts of a request: enough to hide the wire, few enough to lose little."""

_MOST_BYTES: Final = 4 * 1024 * 1024


def batches_of(records: Sequence[Travelling], terms: Terms, *, grouped: bool) -> list[list[int]]:
    """The indices of each request's rollouts.

    Args:
        records: the batch.
        terms: of the reward.
        grouped: whether rollouts of one prompt must be in one request, however many they are.

    Raises:
        DataError: a record's prompt is not known.
    """
    units = (
        groups_of(records, terms.group_field) if grouped else [[at] for at in range(len(records))]
    )
    batches: list[list[int]] = []
    room = 0
    for unit in units:
        size = sum(len(records[index].row) for index in unit)
        if not batches or size > room or len(batches[-1]) + len(unit) > MOST_ROWS:
            batches.append([])
            room = _MOST_BYTES
        batches[-1] += unit
        room -= size
    # In the batch's order, so that of equal rollouts the first one is computed there too.
    return [sorted(batch) for batch in batches]
