"""A reward whose evaluators run here: by this process's engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsi.core.engine import Stop, current_engine
from evalsi.core.engine.lanes import Lane, lane_of
from evalsi.core.records import Record
from evalsi.core.results import By, ComponentResult, Errored, Failure, Reward, Score
from evalsi.core.reward.arithmetic import Rule, Total, total
from evalsi.core.reward.groups import groups_of
from evalsi.core.reward.loaded import LoadedReward, Settled, Terms
from evalsi.core.spec.bound import Bound

if TYPE_CHECKING:
    from evalsi.core.judge import Judge

__all__ = ["RewardFunction", "Settled", "Terms"]


class RewardFunction(LoadedReward):
    """What `load_reward` gives without a server; pickles as its spec.

    Args:
        source: the spec's dict form, from which a pickle is loaded again.
        terms: what the spec says.
        rule: its arithmetic.
        bounds: its components, bound.
        folder: where the spec's relative paths start.
    """

    def __init__(
        self,
        source: Mapping[str, Any],
        terms: Terms,
        rule: Rule,
        bounds: Sequence[Bound],
        folder: Path = Path(),
    ) -> None:
        super().__init__(terms, rule, any(bound.entry.endswith("_group") for bound in bounds))
        self._source = source
        self._folder = folder.absolute()
        self.bounds = tuple(bounds)
        self._picks = any(bound.metric is not None for bound in bounds)

    @property
    def by(self) -> Mapping[str, By]:
        """Who computes each component, before anything ran: without the rungs."""
        return {bound.name: bound.by for bound in self.bounds}

    @property
    def judge(self) -> Judge | None:
        """Whom its components ask, or None; `judge.usage` tells what that has cost so far."""
        return next((bound.judge for bound in self.bounds if bound.judge is not None), None)

    @property
    def waits(self) -> bool:
        """Whether a batch waits for other threads or processes."""
        return any(lane_of(bound) is not Lane.CALLER for bound in self.bounds)

    def rewards(self, records: Sequence[Record], stop: Stop | None = None) -> list[Settled]:
        """Reward and total of every record; errors are left for the caller to raise."""
        if not records:
            return []  # no group of nobody for evaluators of group scope
        rows = current_engine().evaluate(
            self.bounds,
            records,
            groups=groups_of(records, self.terms.group_field) if self.grouped else (),
            cached=self.terms.cache,
            deadline_s=self.terms.deadline_s,
            stop=stop,
        )
        return [self._settled(record.id, row) for record, row in zip(records, rows, strict=True)]

    def _settled(self, row: str, components: tuple[ComponentResult, ...]) -> Settled:
        chosen = tuple(map(_by_metric, self.bounds, components)) if self._picks else components
        found: Total = total(self.rule, [component.result for component in chosen])
        causes = [(row, name, failure) for name, failure in found.causes] if found.causes else []
        return Settled(Reward(row, found.total, found.gated, chosen), causes)

    def __reduce__(self) -> tuple[Any, ...]:
        from evalsi.core.reward import load_reward

        return partial(load_reward, folder=self._folder), (self._source,)


def _by_metric(bound: Bound, component: ComponentResult) -> ComponentResult:
    """The component with its chosen metric as the score's value."""
    result, metric = component.result, bound.metric
    if metric is None or not isinstance(result, Score):
        return component
    if metric in result.metrics:
        return replace(component, result=replace(result, value=float(result.metrics[metric])))
    failure = Failure("evaluator", f"it did not report the metric {metric!r} for this rollout")
    return replace(component, result=Errored(failure))
