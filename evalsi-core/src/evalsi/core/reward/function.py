"""A loaded reward: rollouts in, rewards out, the same in a script, a trainer or a server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from evalsi.core.engine import Stop, current_engine
from evalsi.core.errors import RewardError
from evalsi.core.records import Record, Rollout, record_of
from evalsi.core.results import ComponentResult, Errored, Failure, Reward, Score
from evalsi.core.reward.arithmetic import Rule, Total, total
from evalsi.core.reward.columns import rollouts_of_columns
from evalsi.core.reward.groups import groups_of
from evalsi.core.spec.bound import Bound

if TYPE_CHECKING:
    from evalsi.core.judge import Judge

__all__ = ["RewardFunction", "Terms"]


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


class RewardFunction:
    """What `load_reward` gives. Safe from many threads; pickles as its spec.

    Called as TRL calls a reward function it gives the totals alone. Its `__name__` is the spec's
    name, which trainers log.

    Args:
        source: the spec's dict form, from which a pickle is loaded again.
        terms: what the spec says.
        rule: its arithmetic.
        bounds: its components, bound.

    Attributes:
        grouped: whether a component scores all rollouts of a prompt together.
    """

    def __init__(
        self, source: Mapping[str, Any], terms: Terms, rule: Rule, bounds: Sequence[Bound]
    ) -> None:
        self._source = source
        self.terms = terms
        self.rule = rule
        self.bounds = tuple(bounds)
        self.grouped = any(bound.entry.endswith("_group") for bound in bounds)
        self._picks = any(bound.metric is not None for bound in bounds)
        self.__name__ = terms.name

    @property
    def components(self) -> tuple[str, ...]:
        """The components' names, in the spec's order."""
        return tuple(bound.name for bound in self.bounds)

    @property
    def judge(self) -> Judge | None:
        """Whom its components ask, or None; `judge.usage` tells what that has cost so far."""
        return next((bound.judge for bound in self.bounds if bound.judge is not None), None)

    def score(self, rollouts: Iterable[Rollout]) -> list[Reward]:
        """One reward a rollout, in order; works inside a running event loop too.

        Raises:
            DataError: a rollout cannot be read; nothing was scored.
            RewardError: under `onError: raise`, naming every cause in the batch.
        """
        return self._score(self.records(rollouts), Stop())

    async def ascore(self, rollouts: Iterable[Rollout]) -> list[Reward]:
        """As `score`, without blocking the loop; a cancelled call drops what has not begun."""
        stop = Stop()
        records = self.records(rollouts)
        try:
            return await asyncio.to_thread(self._score, records, stop)
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
        """Totals for columns of one batch, as TRL passes them; None where there is no total."""
        rollouts = rollouts_of_columns(prompts, completions, columns)
        return [reward.total for reward in self.score(rollouts)]

    def records(self, rollouts: Iterable[Rollout]) -> list[Record]:
        """The records of rollouts."""
        field = self.terms.reference_field
        return [record_of(rollout, number, field) for number, rollout in enumerate(rollouts, 1)]

    def rewards(self, records: Sequence[Record], stop: Stop | None = None) -> list[Settled]:
        """Reward and total of every record; errors are left for the caller to raise."""
        rows = current_engine().evaluate(
            self.bounds,
            records,
            groups=groups_of(records, self.terms.group_field) if self.grouped else (),
            cached=self.terms.cache,
            deadline_s=self.terms.deadline_s,
            stop=stop,
        )
        return [self._settled(record.id, row) for record, row in zip(records, rows, strict=True)]

    def _score(self, records: Sequence[Record], stop: Stop) -> list[Reward]:
        settled = self.rewards(records, stop)
        causes = [cause for row in settled for cause in row.causes]
        if causes:
            raise RewardError(causes)
        return [row.reward for row in settled]

    def _settled(self, row: str, components: tuple[ComponentResult, ...]) -> Settled:
        chosen = tuple(map(_by_metric, self.bounds, components)) if self._picks else components
        found: Total = total(self.rule, [component.result for component in chosen])
        causes = [(row, name, failure) for name, failure in found.causes] if found.causes else []
        return Settled(Reward(row, found.total, found.gated, chosen), causes)

    def __reduce__(self) -> tuple[Any, ...]:
        from evalsi.core.reward import load_reward

        return load_reward, (self._source,)


class Settled(NamedTuple):
    """A reward, and what fails the batch under `onError: raise`: row, component, failure."""

    reward: Reward
    causes: list[tuple[str, str, Failure]]


def _by_metric(bound: Bound, component: ComponentResult) -> ComponentResult:
    """The component with its chosen metric as the score's value."""
    result, metric = component.result, bound.metric
    if metric is None or not isinstance(result, Score):
        return component
    if metric in result.metrics:
        return replace(component, result=replace(result, value=float(result.metrics[metric])))
    failure = Failure("evaluator", f"it did not report the metric {metric!r} for this rollout")
    return replace(component, result=Errored(failure))
