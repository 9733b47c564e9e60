"""The parts of a question to a judge that `llm-judge` and `pairwise-judge` share."""

from __future__ import annotations

import json
from typing import Final, Self

from pydantic import Field, model_validator

from evalsi.core.judge import fenced
from evalsi.core.results import JSON
from evalsi_pack_general.answers import AnswerParams
from evalsi_pack_general.references import accepted
from evalsi_pack_general.rubrics import RUBRICS, Rubric, RubricName, Shown

__all__ = ["RubricParams", "reference_text", "rubric_of", "shown_to_judge", "wants_reference"]

_FROM_OWN: Final[Shown] = "shown"


class RubricParams(AnswerParams):
    """What the judge looks at: a built-in rubric, or a criterion in your own words."""

    rubric: RubricName | None = Field(default=None, description="A built-in rubric.")
    criterion: str | None = Field(
        default=None,
        min_length=1,
        max_length=20_000,
        description="What the judge looks at, in your words, in place of a built-in rubric.",
    )
    reference: Shown | None = Field(
        default=None,
        description="Whether the judge sees the reference: `hidden`, `shown` where there is one, "
        "or `required`; null: as the rubric says, and `shown` with a criterion of yours.",
    )
    max_characters: int = Field(
        default=50_000,
        ge=100,
        le=1_000_000,
        description="Of a longer text the judge sees the start and the end.",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.rubric is None) == (self.criterion is None):
            raise ValueError("give either rubric or criterion")
        return self


def rubric_of(params: RubricParams) -> Rubric:
    """The rubric that the params name, or their own criterion as one."""
    if params.rubric is not None:
        return RUBRICS[params.rubric]
    worst, best = "it fails the criterion altogether", "it meets the criterion fully"
    return Rubric(params.criterion or "", worst, best, _FROM_OWN)


def wants_reference(params: RubricParams) -> Shown:
    """Whether the judge sees the reference."""
    return params.reference or rubric_of(params).reference


def reference_text(reference: JSON) -> str:
    """A reference as a judge sees it, alternatives on lines of their own; empty when missing.

    Raises:
        DataError: it is neither text, number, list nor a mapping.
    """
    if isinstance(reference, dict) and "text" not in reference:
        return json.dumps(reference, ensure_ascii=False)
    return "\n".join(accepted(reference))


def shown_to_judge(label: str, text: str, params: RubricParams) -> str:
    """A text in a fence that it cannot leave, its middle left out when it is too long."""
    most = params.max_characters
    if len(text) > most:
        left_out = len(text) - most
        text = f"{text[: most // 2]}\n[{left_out} characters left out]\n{text[-(most // 2) :]}"
    return fenced(label, text)
