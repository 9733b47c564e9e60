"""Whether trials were trials: outputs that are all the same tell no more than one of them."""

from __future__ import annotations

from collections.abc import Sequence

from evalsi.core.chat import Output
from evalsi.core.run.results import RecordResult

__all__ = ["Sameness"]


class Sameness:
    """Counts the records that were answered several times, and those with one answer only."""

    def __init__(self) -> None:
        self._several = 0
        self._same = 0

    def add(self, rows: Sequence[RecordResult]) -> None:
        """Takes in one record with all its trials."""
        texts = [row.output.text for row in rows if isinstance(row.output, Output)]
        if len(texts) > 1:
            self._several += 1
            self._same += len(set(texts)) == 1

    def warnings(self) -> tuple[str, ...]:
        """A sentence where no record has two outputs that differ."""
        if not self._several or self._same < self._several:
            return ()
        records = "the one record" if self._several == 1 else f"all {self._several} records"
        told = f"the trials of {records} are equal, so pass@k and pass^k say no more than one trial"
        return (f"{told}; the server may ignore temperature and seed, or temperature is 0",)
