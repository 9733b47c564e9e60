"""How long the answer is, or whether its length lies within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, Self

from pydantic import Field, model_validator

from evalsi.core.evaluator import Answer, Direction, Need, Tools
from evalsi.core.results import Score, Skipped
from evalsi_pack_general.answers import UNCLOSED, AnswerParams, answer_of

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["Length", "LengthParams"]

_NO_COUNT: Final = Skipped("the record has no count of tokens")


class LengthParams(AnswerParams):
    """What is counted, and the bounds."""

    unit: Literal["tokens", "words", "lines", "characters"] = Field(
        default="words",
        description="What is counted: tokens as the record counts them, thinking included; words "
        "as white space splits them; lines that are not blank; or characters.",
    )
    min: int | None = Field(default=None, ge=0, description="The least length that passes.")
    max: int | None = Field(default=None, ge=0, description="The greatest length that passes.")

    @model_validator(mode="after")
    def _bounds_leave_room(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min is {self.min} and max is {self.max}; min cannot be larger")
        return self


class Length:
    """1 when the length lies within the bounds, else 0; without bounds the length itself.

    The length is always reported as the metric `length.<unit>`. Skipped when tokens are counted
    and the record has no count. With bounds, thinking that does not end scores 0; without, its
    answer has length 0.
    """

    Params = LengthParams
    needs = frozenset[Need]()
    bounded = True

    @staticmethod
    def reads(params: LengthParams) -> tuple[str, ...]:
        """The token count, or the text when that is counted."""
        return ("output_tokens",) if params.unit == "tokens" else ("output",)

    @staticmethod
    def metrics(params: LengthParams) -> Mapping[str, Direction]:
        """Within bounds more is better; a bare length is neither good nor bad."""
        direction: Direction = "higher" if _bounds(params) else "neither"
        return {"length": direction, f"length.{params.unit}": "neither"}

    def __init__(self, params: LengthParams, tools: Tools) -> None:  # noqa: ARG002
        self._params = params
        self._bounds = _bounds(params)
        self._metric = f"length.{params.unit}"

    def score(self, record: Record) -> Answer:
        """The length of one completion, or the verdict on it."""
        length = self._length(record)
        if length is None:
            return _NO_COUNT if self._params.unit == "tokens" else self._unclosed()
        metrics = {self._metric: float(length)}
        if not self._bounds:
            return Score(float(length), metrics)
        least, most = self._params.min or 0, self._params.max
        if length < least:
            return Score(0.0, metrics, "too-short")
        too_long = most is not None and length > most
        return Score(float(not too_long), metrics, "too-long" if too_long else "within")

    def _length(self, record: Record) -> int | None:
        if self._params.unit == "tokens":
            return record.output_tokens
        text = answer_of(record.output, self._params.thinking)
        if text is None:
            return None
        if self._params.unit == "words":
            return len(text.split())
        if self._params.unit == "lines":
            return sum(1 for line in text.splitlines() if line.strip())
        return len(text)

    def _unclosed(self) -> Score:
        return Score(0.0, {self._metric: 0.0}, UNCLOSED)


def _bounds(params: LengthParams) -> bool:
    return params.min is not None or params.max is not None
