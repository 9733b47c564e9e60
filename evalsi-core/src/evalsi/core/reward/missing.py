"""The number that trainers which know no missing reward are given: a total, or what stands for it.

A rollout has no total under `onError: none`, or when no component applied to it. TRL leaves such a
row out; verl and OpenRLHF cannot, and only their user can say what they are given instead.
"""

from __future__ import annotations

import math
from typing import Final

from evalsi.core.errors import DataError, RewardError
from evalsi.core.results import Errored, Failure, Reward

__all__ = ["LARGEST", "parsed", "total_or"]

LARGEST: Final = 3.4028234663852886e38
"""The largest number of 32 bits: trainers hold rewards in these, and more becomes infinite."""


def parsed(value: object) -> float | None:
    """The option `missing` as an environment, a command line or a config states it.

    Returns:
        None for `raise`, and where it was left out; else a number that 32 bits hold.

    Raises:
        DataError: it is neither.
    """
    if value is None or value == "raise":
        return None
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
        if abs(number) <= LARGEST:
            return number
    raise DataError(f"`missing` is {value!r}; it must be `raise`, or a finite number to train on")


def total_or(reward: Reward, missing: float | None) -> float:
    """The total; where there is none, `missing`.

    Raises:
        RewardError: there is no total and `missing` is None; it names what errored, and the mend.
            Or 32 bits do not hold the total.
    """
    if reward.total is not None and abs(reward.total) > LARGEST:
        what = f"{reward.total:g} becomes infinite in a trainer's 32 bits; lower the weights"
        raise RewardError([(reward.id, "total", Failure("data", f"{what}, or set `clip`"))])
    if reward.total is not None:
        return reward.total
    if missing is not None:
        return missing
    causes = [
        (reward.id, component.name, component.result.failure)
        for component in reward.components
        if isinstance(component.result, Errored)
    ]
    kind = causes[0][2].kind if causes else "data"
    why = "a component errored" if causes else "no component applied to it"
    mend = "set `missing` to the number that shall stand in its place"
    told = Failure(kind, f"there is no total to train on, since {why}; {mend}")
    raise RewardError([*causes, (reward.id, "total", told)])
