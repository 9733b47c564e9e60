"""A reward that scores each of TRL's batches once, as rows of numbers that TRL can hold."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Final, TypeAlias

from evalsi.core.errors import DataError
from evalsi.core.results import ComponentResult, Errored, Reward, Score
from evalsi.core.reward.missing import LARGEST
from evalsi.rewards.trl_once import Once

if TYPE_CHECKING:
    from evalsi.core.reward import LoadedReward
    from evalsi.rewards.trl_batch import Batch
    from evalsi.rewards.trl_caller import Caller

__all__ = ["Row", "Scoring"]

Row: TypeAlias = "list[float | None]"
"""A rollout's total and its components' values; all None where there is no total."""

_LOG: Final = logging.getLogger("evalsi")


class Scoring:
    """A reward and what it scored for some of the functions so far; pickles as the reward.

    Args:
        reward: what scores.
        functions: how many functions ask for each batch.
    """

    def __init__(self, reward: LoadedReward, functions: int) -> None:
        self.reward = reward
        self._functions = functions
        self._once: Once[list[Row]] = Once(functions)

    def rows(self, place: int, caller: Caller, batch: Batch) -> list[Row]:
        """Every rollout's row, for the function at `place`.

        Raises:
            DataError: the batch cannot be read, or holds what this trainer would misread.
            RewardError: under `onError: raise`.
        """
        return self._once.result(
            place, batch.key, batch.opaque, lambda: self._scored(caller, batch)
        )

    def _scored(self, caller: Caller, batch: Batch) -> list[Row]:
        caller.refuse_columns()
        rollouts = batch.rollouts(self.reward.terms.reference_field)
        if self.reward.grouped:
            caller.refuse_split_groups(len(rollouts))
        rewards = self.reward.score(rollouts)
        rows = list(map(self._row, rewards))
        missing = [reward for reward, row in zip(rewards, rows, strict=True) if row[0] is None]
        if missing:
            self._tell(missing, len(rows), caller)
        return rows

    def _row(self, reward: Reward) -> Row:
        nothing: Row = [None] * (1 + len(reward.components))
        if reward.total is None:
            return nothing
        row: Row = [reward.total, *map(_value, reward.components)]
        if _fits(row):
            return row
        if self.reward.rule.on_error == "none":
            return nothing
        raise DataError(f"{_why(reward)}; lower the weights, or set `clip`")

    def _tell(self, missing: list[Reward], rows: int, caller: Caller) -> None:
        what = f"{len(missing)} of {rows} rollouts have no total; the first: {_why(missing[0])}"
        if caller.reads_none_as_zero:
            raise DataError(
                f"{what}. This trainer passes no `log_extra`, as Online DPO and SDPO, which would "
                f"train on 0 instead: set `onError` to raise, or to zero if 0 is what you mean"
            )
        _LOG.warning("%s: %s", self.reward.terms.name, what)

    def __reduce__(self) -> tuple[type[Scoring], tuple[LoadedReward, int]]:
        return Scoring, (self.reward, self._functions)


def _value(component: ComponentResult) -> float | None:
    """What was measured, or None."""
    result = component.result
    return result.value if isinstance(result, Score) and math.isfinite(result.value) else None


def _fits(row: Row) -> bool:
    return all(number is None or abs(number) <= LARGEST for number in row)


def _why(reward: Reward) -> str:
    """Why a rollout is without a total here."""
    for component in reward.components:
        if isinstance(component.result, Errored):
            return f"rollout {reward.id}, component {component.name}: {component.result.failure}"
    if reward.total is not None:
        return f"rollout {reward.id} has a number that becomes infinite in TRL's 32 bits"
    return f"rollout {reward.id}, to which no component applies"
