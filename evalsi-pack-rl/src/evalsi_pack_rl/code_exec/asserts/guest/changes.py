"""What a request changed of the containers that it passed, and which of them the program keeps."""

from __future__ import annotations

import operator
import sys
from typing import Any

from evalsi_pack_rl.code_exec.asserts.guest.plain import MUTABLE


def snapshot(value: Any) -> list[Any]:
    """What a mutable container holds, to tell later whether it was changed."""
    if isinstance(value, dict):
        return [part for pair in dict.items(value) for part in pair]
    return list(value)


def same(one: list[Any], other: list[Any]) -> bool:
    """Whether two snapshots hold the same things."""
    return len(one) == len(other) and all(map(operator.is_, one, other))


def holds(kept: list[Any], passed: list[Any], result: Any) -> list[int]:
    """The numbers of passed containers that the program still has somewhere."""
    probe: list[Any] = []
    as_kept, as_argument, as_passed = [probe], [probe], [probe]
    least = sys.getrefcount(probe)
    del as_kept, as_argument, as_passed
    numbers = {id(item): number for number, item in enumerate(kept)}
    found = []
    for item in passed:
        mutable = type(item) in MUTABLE and item is not result
        if mutable and sys.getrefcount(item) > least and id(item) in numbers:
            found.append(numbers[id(item)])
    return found
