"""What `bind()` makes of a ref: an evaluator that was checked, with its params and its origin.

Below this point there is no pydantic and no spec: the engine works on bounds alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalsi.core.evaluator import Batch, Direction, Need
from evalsi.core.results import JSON, By

if TYPE_CHECKING:
    from evalsi.core.judge import Judge

__all__ = ["Bound", "Ref"]


@dataclass(frozen=True, slots=True)
class Ref:
    """One use of an evaluator, as a spec states it.

    Attributes:
        ref: the evaluator's name, bare or `pack:name`.
        name: what the use is called in results; unique in its spec.
        params: the params as written.
        metric: which of its metrics is the value; None: the score's own value.
        min_isolation: the least rung that may run its code, or None.
        path: where the spec states it, for messages: `("spec", "components", 2)`.
    """

    ref: str
    name: str
    params: Mapping[str, JSON]
    metric: str | None = None
    min_isolation: str | None = None
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """An evaluator ready to be run by the engine.

    Attributes:
        name: the use's name, from its `Ref`.
        by: evaluator, distribution, version, params digest; the engine adds the rung.
        target: "module:attribute" of the class, for worker processes.
        settings: the params, defaults included, as plain data; None for a class without `Params`.
        entry: which of `evaluator.ENTRIES` the class has.
        fields: the record's fields that it reads, metadata apart.
        metadata: the metadata keys that it reads; None: all of them.
        needs: what it asks of the engine.
        bounded: whether it is linear in size-capped input, with these params.
        batch: how records are put together for `…score_batch`.
        metrics: its metrics with their directions; its own short name is the score's value.
        metric: which of them is the value, or None.
        min_isolation: the least rung that may run its code, or None.
        instance: the evaluator, constructed, where it runs in this process; else None.
        judge: whom it asks, or None; `judge.usage` tells what that has cost.
        patience_s: seconds that a call may take where the spec names no deadline, or None.
        about: by metric, the metadata values of the records that it is about; else all records.
    """

    name: str
    by: By
    target: str
    settings: Mapping[str, JSON] | None
    entry: str
    fields: tuple[str, ...]
    metadata: tuple[str, ...] | None
    needs: frozenset[Need]
    bounded: bool
    batch: Batch
    metrics: Mapping[str, Direction]
    metric: str | None = None
    min_isolation: str | None = None
    instance: object | None = None
    judge: Judge | None = None
    patience_s: float | None = None
    about: Mapping[str, Mapping[str, JSON]] = field(default_factory=dict)
