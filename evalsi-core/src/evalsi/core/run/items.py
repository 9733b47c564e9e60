"""What goes through a run: a record that is still to be asked, or that has its outputs already."""

from __future__ import annotations

from dataclasses import dataclass

from evalsi.core.chat import Output
from evalsi.core.records import Record
from evalsi.core.results import Errored

__all__ = ["Item"]


@dataclass(frozen=True, slots=True)
class Item:
    """One record of a run.

    Attributes:
        record: without an output.
        cluster: records of one cluster are not independent; None: no clusters.
        outputs: what was given before, one a trial; None: the target is asked.
    """

    record: Record
    cluster: str | None = None
    outputs: tuple[Output | Errored, ...] | None = None
