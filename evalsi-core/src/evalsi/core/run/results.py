"""What a run keeps of one request: the output, or why there is none, and what evaluators said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evalsi.core.chat import Output
from evalsi.core.results import Errored, Result

__all__ = ["RecordResult"]


@dataclass(frozen=True, slots=True)
class RecordResult:
    """One output of one record, evaluated.

    Attributes:
        id: the record's id.
        trial: which of the record's outputs, from 0.
        output: what the target gave, or why it gave nothing.
        results: one a use of an evaluator; of an output that errored, that same error.
    """

    id: str
    trial: int
    output: Output | Errored
    results: Mapping[str, Result]

    @property
    def empty(self) -> bool:
        """Whether the target answered, and with white space at most."""
        return isinstance(self.output, Output) and self.output.empty

    @property
    def truncated(self) -> bool:
        """Whether the output ends where its tokens ran out."""
        return isinstance(self.output, Output) and self.output.truncated
