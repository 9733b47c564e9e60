"""DAPO's soft overlong penalty: nothing for a completion of fair length, -1 at the limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import Score, Skipped

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["OverlongPenalty", "OverlongPenaltyParams"]

_NONE: Final = Score(0.0)
_FULL: Final = Score(-1.0)
_NO_COUNT: Final = Skipped("the rollout has no completion_tokens and no completion_ids")


class OverlongPenaltyParams(BaseModel):
    """Where the penalty begins and where it is complete."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_length: int = Field(gt=0, description="Length from which the penalty is -1.")
    buffer: int = Field(ge=0, description="Length before `max_length` over which it grows.")
    unit: Literal["tokens", "words", "characters"] = Field(
        default="tokens", description="What is counted; words are split at white space."
    )

    @model_validator(mode="after")
    def _buffer_fits(self) -> Self:
        if self.buffer > self.max_length:
            raise ValueError(
                f"buffer is {self.buffer} and max_length is {self.max_length}; "
                "buffer cannot be larger than max_length"
            )
        return self


class OverlongPenalty:
    """A penalty in [-1, 0].

    0 up to `max_length - buffer`, then linear to -1 at `max_length` and beyond. Skipped when
    `unit` is tokens and the rollout carries no count of them.

    Source: Yu et al. 2025, DAPO, eq. 13.
    """

    Params = OverlongPenaltyParams
    needs = frozenset[Need]()
    bounded = True

    @staticmethod
    def reads(params: OverlongPenaltyParams) -> tuple[str, ...]:
        """The token count, or the text when words or characters are counted."""
        return ("output_tokens",) if params.unit == "tokens" else ("output",)

    def __init__(self, params: OverlongPenaltyParams, tools: Tools) -> None:  # noqa: ARG002
        self._max_length = params.max_length
        self._buffer = params.buffer
        self._unit = params.unit

    def score(self, record: Record) -> Answer:
        """The penalty of one completion."""
        length = self._length(record)
        if length is None:
            return _NO_COUNT
        if length >= self._max_length:
            return _FULL
        over = length - (self._max_length - self._buffer)
        return Score(-over / self._buffer) if over > 0 else _NONE

    def _length(self, record: Record) -> int | None:
        if self._unit == "tokens":
            return record.output_tokens
        return len(record.output.split()) if self._unit == "words" else len(record.output)
