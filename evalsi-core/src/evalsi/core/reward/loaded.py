"""What a loaded reward is to those who call it, wherever its evaluators run."""

from __future__ import annotations

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from evalsi.core.engine import Stop
from evalsi.core.errors import DataError, RewardError
from evalsi.core.records import Record, Rollout, record_of
from evalsi.core.results import By, Failure, Reward
from evalsi.core.reward.arithmetic import Rule
from evalsi.core.reward.columns import rollouts_of_columns
from evalsi.core.reward.missing import LARGEST

if TYPE_CHECKING:
    from evalsi.core.judge import Judge

__all__ = ["LoadedReward", "Settled", "Terms"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a spec says beside its components and its arithmetic.

    Attributes:
        name: the spec's name.
        fingerprint: equal for equal specs, wherever they were written.
        cache: whether equal content is evaluated once.
        reference_field: the field that holds the reference, or None for the usual ones.
        group_field: the field that rollouts of one prompt share, or None for the prompt.
        deadline_s: seconds a call may take, or None for the engine's.
    """

    name: str
    fingerprint: str
    cache: bool = True
    reference_field: str | None = None
    group_field: str | None = None
    deadline_s: float | None = None


class Settled(NamedTuple):
    """A reward, and what fails the batch under `onError: raise`: row, component, failure."""

    reward: Reward
    causes: list[tuple[str, str, Failure]]


class LoadedReward(ABC):
    """What `load_reward` gives: rollouts in, rewards out. Safe from many threads; pickles.

    Called as TRL calls a reward function it gives the totals alone. Its `__name__` is the spec's
    name, which trainers log.

    Args:
        terms: what the spec says.
        rule: its arithmetic.
        grouped: whether a component scores all rollouts of a prompt together.
    """

    chunk: ClassVar[int] = 128
    """Rollouts of a stream that are scored together."""

    in_flight: ClassVar[int] = 4
    """Such chunks at once, where a batch waits for others."""

    def __init__(self, terms: Terms, rule: Rule, grouped: bool) -> None:
        self.terms = terms
        self.rule = rule
        self.grouped = grouped
        self.__name__ = terms.name

    @property
    def components(self) -> tuple[str, ...]:
        """The components' names, in the spec's order."""
        return tuple(weighing.name for weighing in self.rule.weighings)

    @property
    @abstractmethod
    def by(self) -> Mapping[str, By]:
        """Who computes each component, before anything ran: without the rungs."""

    @property
    @abstractmethod
    def waits(self) -> bool:
        """Whether a batch waits for others, so that a stream keeps several in flight."""

    @property
    def judge(self) -> Judge | None:
        """Whom its components ask, or None; `judge.usage` tells what that has cost so far."""
        return None

    def score(self, rollouts: Iterable[Rollout]) -> list[Reward]:
        """One reward a rollout, in order; works inside a running event loop too.

        Raises:
            DataError: a rollout cannot be read; nothing was scored.
            RewardError: under `onError: raise`, naming every cause in the batch.
            ServerError: a server should compute it, and gives no answer.
        """
        return rewards_of(self.rewards(self.records(rollouts)))

    async def ascore(self, rollouts: Iterable[Rollout]) -> list[Reward]:
        """As `score`, without blocking the loop; a cancelled call drops what has not begun."""
        stop = Stop()
        records = self.records(rollouts)
        try:
            return rewards_of(await asyncio.to_thread(self.rewards, records, stop))
        except asyncio.CancelledError:
            stop.now()
            raise

    def iter_scores(self, rollouts: Iterable[Rollout], *, first: int = 1) -> Iterator[Reward]:
        """Rewards in order, as they are ready; memory does not grow with the input.

        Rollouts without an id are numbered from `first`. For evaluators of group scope the
        rollouts of one prompt must stand together.

        Raises:
            DataError: at the first rollout that cannot be read, after the rewards before it.
            RewardError: under `onError: raise`, likewise.
        """
        from evalsi.core.reward.stream import stream

        return stream(self, rollouts, first)

    def __call__(
        self,
        prompts: Sequence[object] | None = None,
        completions: Sequence[object] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Totals for columns of one batch, as TRL passes them; None where there is no total.

        Raises:
            DataError: a column cannot be read; or a component is of group scope, and this is one
                of several processes, which each hold a slice of the batch; or the trainer would
                take an answer for another number.
            RewardError: as in `score`.
        """
        if self.grouped and int(os.environ.get("WORLD_SIZE", "1")) > 1:
            raise DataError(
                "a component scores all rollouts of a prompt together, and this process may hold "
                "some of them only: evalsi.rewards.trl.reward_funcs looks, and tells"
            )
        field = self.terms.reference_field
        rollouts = rollouts_of_columns(prompts, completions, columns, field)
        totals = [reward.total for reward in self.score(rollouts)]
        _require_readable(totals, columns)
        return totals

    def record(self, rollout: Rollout, number: int) -> Record:
        """The record of a rollout, numbered from 1; raises `DataError`."""
        return record_of(rollout, number, self.terms.reference_field)

    def records(self, rollouts: Iterable[Rollout]) -> list[Record]:
        """The records of rollouts."""
        return [self.record(rollout, number) for number, rollout in enumerate(rollouts, 1)]

    @abstractmethod
    def rewards(self, records: Sequence[Record], stop: Stop | None = None) -> list[Settled]:
        """Reward and total of every record; errors are left for the caller to raise."""


def _require_readable(totals: Sequence[float | None], columns: Mapping[str, object]) -> None:
    if any(total is not None and abs(total) > LARGEST for total in totals):
        raise DataError(
            "a total becomes infinite in a trainer's 32 bits; lower the weights, or set `clip`"
        )
    is_trainer = columns.get("trainer_state") is not None
    if None in totals and is_trainer and columns.get("log_extra") is None:
        raise DataError(
            "a rollout has no total, and this trainer passes no `log_extra`, as Online DPO and "
            "SDPO, which would train on 0 instead: set `onError` to raise, or to zero if 0 is "
            "what you mean"
        )


def rewards_of(rows: Sequence[Settled]) -> list[Reward]:
    """The rewards of a batch; raises `RewardError`, naming every cause in it."""
    causes = [cause for row in rows for cause in row.causes]
    if causes:
        raise RewardError(causes)
    return [row.reward for row in rows]
