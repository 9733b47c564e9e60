"""Evaluates records whose outputs are there, in batches, as rewards are evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from evalsi.core.chat import Output
from evalsi.core.engine import Stop, current_engine
from evalsi.core.records import Record
from evalsi.core.results import By, Errored, Result, Score
from evalsi.core.run.stages import finding, reads_of, stages_of
from evalsi.core.spec.bound import Bound

__all__ = ["Answered", "Evaluation", "Scores"]

Scores: TypeAlias = list[dict[str, Result]]
"""Of one record: the results of each trial by the evaluator's name."""


@dataclass(slots=True)
class Answered:
    """One record with what the target gave, or did not give, in each trial."""

    number: int
    record: Record
    outputs: list[Output | Errored]


@dataclass(slots=True)
class Evaluation:
    """The evaluators of a run, and who they turned out to be. Safe from many threads.

    Attributes:
        bounds: the evaluators.
        deadline_s: seconds a call may take, or None for the engine's.
        rungs: the rungs that ran an evaluator's code, by its name.
        stop: ends what was begun.
    """

    bounds: Sequence[Bound]
    deadline_s: float | None = None
    rungs: dict[str, set[str]] = field(default_factory=dict)
    stop: Stop = field(default_factory=Stop)

    @property
    def by(self) -> dict[str, By]:
        """Who computed each evaluator's numbers; of several rungs all are named."""
        return {
            bound.name: replace(bound.by, rung=", ".join(sorted(self.rungs.get(bound.name, ()))))
            for bound in self.bounds
        }

    def of(self, batch: Sequence[Answered]) -> list[Scores]:
        """The scores of every record of a batch, in order."""
        scores = [[dict[str, Result]() for _ in one.outputs] for one in batch]
        places, records, groups = self._records(batch, scores)
        for stage in stages_of(self.bounds) if records else ():
            seen = [self._with_findings(r, stage, s) for r, s in zip(records, places, strict=True)]
            rows = current_engine().evaluate(
                stage, seen, groups=groups, deadline_s=self.deadline_s, stop=self.stop
            )
            for place, row in zip(places, rows, strict=True):
                for component in row:
                    place[component.name] = component.result
                    if component.by.rung:
                        self.rungs.setdefault(component.name, set()).add(component.by.rung)
        return scores

    def _records(
        self, batch: Sequence[Answered], scores: list[Scores]
    ) -> tuple[list[dict[str, Result]], list[Record], list[list[int]]]:
        """The records to evaluate, where their results go, and which belong together."""
        places: list[dict[str, Result]] = []
        records: list[Record] = []
        groups = []
        for one, rows in zip(batch, scores, strict=True):
            group = []
            for output, place in zip(one.outputs, rows, strict=True):
                if isinstance(output, Errored):
                    place.update((bound.name, output) for bound in self.bounds)
                    continue
                group.append(len(records))
                records.append(_answered(one.record, output))
                places.append(place)
            if group:
                groups.append(group)
        return places, records, groups

    @staticmethod
    def _with_findings(record: Record, stage: list[Bound], known: dict[str, Result]) -> Record:
        names = {name for bound in stage for name in reads_of(bound)}
        if not names:
            return record
        found = {
            f"@{name}": finding(result)
            for name in names
            if isinstance(result := known.get(name), Score)
        }
        own = {key: value for key, value in record.metadata.items() if key[:1] != "@"}
        return replace(record, metadata={**own, **found})


def _answered(record: Record, output: Output) -> Record:
    metadata = {**record.metadata, "finish_reason": output.finish}
    return replace(
        record, output=output.text, output_tokens=output.output_tokens, metadata=metadata
    )
