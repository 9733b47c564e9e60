"""Mini-evaluations: a few fixed records are asked first, and decide whether the rest is worth it.

The same records at every step, chosen by `subset_of`. Their metrics bear names of their own,
`math-equiv@mini`, so that a number of the mini panel is never taken for one of the full panel;
no evaluator's use can have an `@` in its name. A step that was measured in full has mini values
too: those of the same records, read from the full ones.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from evalsi.core.chat import Output
from evalsi.core.errors import DataError, SpecError
from evalsi.core.run.dataset import content_of
from evalsi.core.run.document import ResultFile
from evalsi.core.run.items import Item
from evalsi.core.run.rows import output_of
from evalsi.core.run.work import Work
from evalsi.core.stats import Comparison
from evalsi.training.history import StepRecord
from evalsi.training.measuring import summary_of
from evalsi.training.names import mini_name
from evalsi.training.subsets import subset_of
from evalsi.training.values import StepValues

__all__ = [
    "Mini",
    "as_mini",
    "below_base",
    "mini_of",
    "mini_work",
    "one_mini",
    "reusing",
    "with_mini",
]

_PURPOSE: Final = "mini"
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Mini:
    """A mini panel.

    Attributes:
        records: how many, at least 1; a few more where a cluster would be cut.
        seed: chooses them.
    """

    records: int
    seed: int = 0

    def refuse_whole(self, size: int, records: int | None = None) -> None:
        """Refuses a mini panel that is no smaller than the full one.

        Args:
            size: records of the full one.
            records: those of the mini panel, where it is known which clusters are in it.

        Raises:
            SpecError: it is not.
        """
        records = records or self.records
        if records >= size:
            raise SpecError(
                f"a mini panel of {records} records is no smaller than the spec's own "
                f"{size}; give --mini a smaller number, or leave it out"
            )

    def __str__(self) -> str:
        return f"{self.records} records, seed {self.seed}"


def mini_of(record: StepRecord) -> Mini | None:
    """The mini panel that a step was asked first; None: none was."""
    return None if record.mini is None else Mini(**record.mini)


def one_mini(records: Iterable[StepRecord], asked: Mini | None) -> Mini | None:
    """The one mini panel of a training run: as asked, or as its steps say.

    Raises:
        DataError: there are two.
    """
    for record in records:
        held = mini_of(record)
        if held is None:
            continue
        if asked is not None and held != asked:
            raise DataError(
                f"step {record.step} was measured on a mini panel of {held}, now {asked}; two "
                f"panels are not compared: give --mini {held.records} --mini-seed {held.seed}, or "
                f"another --training-run"
            )
        asked = held
    return asked


def mini_work(work: Work, mini: Mini) -> Work:
    """The part of a run that asks the mini panel alone; the spec's gates are the full panel's."""
    held = [(item.record.id, item.cluster) for item in work.items()]
    ids, clusters = tuple(name for name, _ in held), tuple(cluster for _, cluster in held)
    known = clusters if any(clusters) else ()
    chosen = subset_of(ids, known, mini.records, seed=mini.seed, purpose=_PURPOSE)
    mini.refuse_whole(work.size, len(chosen))

    def items() -> Iterator[Item]:
        return (item for item in work.items() if item.record.id in chosen)

    digest = hashlib.sha256()
    for item in items():
        digest.update(content_of(item.record))
    dataset = {
        **work.head["dataset"],
        "hash": digest.hexdigest(),
        "n": len(chosen),
        "ids": [name for name in ids if name in chosen],
    }
    return replace(
        work,
        size=len(chosen),
        items=items,
        identity={**work.identity, "data": digest.hexdigest()},
        head={**work.head, "dataset": dataset},
        gates=(),
    )


def reusing(work: Work, mini: ResultFile) -> Work:
    """The whole run, which does not ask again what its mini-evaluation was answered.

    Records some of whose trials failed are asked again, and all of them where something else was
    asked then.
    """
    before = mini.head.get("identity", {})
    if any(before.get(name) != work.identity[name] for name in ("spec", "target")):
        return work
    held = {}
    for name, rows in itertools.groupby(mini.rows(), key=lambda row: row["id"]):
        outputs = tuple(output_of(row["output"]) for row in rows)
        if all(isinstance(output, Output) for output in outputs):
            held[name] = outputs

    def items() -> Iterator[Item]:
        for item in work.items():
            yield replace(item, outputs=held.get(item.record.id))

    return replace(work, items=items)


def as_mini(record: StepRecord, values: StepValues, mini: Mini) -> tuple[StepRecord, StepValues]:
    """What was measured on the mini panel, under the names of the mini panel."""
    metrics = {mini_name(name): summary for name, summary in record.metrics.items()}
    columns = {mini_name(name): column for name, column in values.columns.items()}
    told = {"records": mini.records, "seed": mini.seed}
    return (
        replace(record, metrics=metrics, panel="mini", mini=told),
        replace(values, columns=columns),
    )


def with_mini(record: StepRecord, values: StepValues, mini: Mini) -> tuple[StepRecord, StepValues]:
    """A step with its mini values beside the full ones, where it has full ones."""
    if record.panel == "mini":
        return record, values
    chosen = subset_of(values.ids, values.clusters, mini.records, seed=mini.seed, purpose=_PURPOSE)
    inside = np.array([name in chosen for name in values.ids])
    columns = {
        mini_name(name): np.where(inside, column, np.nan) for name, column in values.columns.items()
    }
    metrics = {
        mini_name(name): summary_of(columns[mini_name(name)], values.clusters, summary["direction"])
        for name, summary in record.metrics.items()
    }
    return (
        replace(record, metrics={**record.metrics, **metrics}),
        replace(values, columns={**values.columns, **columns}),
    )


def below_base(change: Comparison, metric: str, direction: str) -> str:
    """Why a step is not asked the full panel, as a sentence; empty where it is.

    It is asked unless it is worse than the base on the records that both measured.
    """
    if change.diff is None:
        return ""
    better = -change.diff if direction == "lower" else change.diff
    if better >= -_ROUNDING:
        return ""
    return (
        f"{metric} is {change.checkpoint_mean:.4g}, worse than the base's "
        f"{change.base_mean:.4g} on the same {change.n} records; the full panel was not asked"
    )
