"""The evaluator: extract from completion and reference, compare, say why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from evalsi.core.errors import DataError
from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import JSON, Score, Skipped
from evalsi_pack_rl.math_equiv.compare import same_value
from evalsi_pack_rl.math_equiv.extract import final_answer

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["MathEquiv", "MathEquivParams"]

_EXCERPT: Final = 200
_NO_VALUE: Final = frozenset({"", "nan", "none", "null"})

Backend = Literal["auto", "plain", "sympy", "math-verify"]


def _available(backend: Backend) -> Backend:
    if backend in {"sympy", "math-verify"}:
        raise ValueError(
            f"{backend} is not offered by this version, which compares numbers and text; "
            "use `auto` or `plain`"
        )
    return backend


class MathEquivParams(BaseModel):
    """How the answer is found and compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fallback: Literal["last-number", "none"] = Field(
        default="last-number",
        description="What counts as the answer when no box, tag, marker or phrase gives one.",
    )
    backend: Annotated[Backend, AfterValidator(_available)] = Field(
        default="auto", description="What decides; this version has `plain`, which `auto` takes."
    )


class MathEquiv:
    """1 when the final answer equals the reference, else 0.

    Numbers are compared exactly, whatever their spelling; anything else as normalised text.
    Skipped when the rollout has no reference, or an empty one.
    """

    Params = MathEquivParams
    reads = ("output", "reference")
    needs = frozenset[Need]()
    bounded = True

    def __init__(self, params: MathEquivParams, tools: Tools) -> None:  # noqa: ARG002
        self._last_number = params.fallback == "last-number"

    def score(self, record: Record) -> Answer:
        """The verdict; `evidence` holds what was predicted and what was expected."""
        reference = _reference_text(record.reference)
        if reference is None:
            return Skipped("the rollout has no reference")
        expected = final_answer(reference, last_number=False) or reference
        predicted = final_answer(record.output, last_number=self._last_number)
        if predicted is None:
            return _score(None, expected, "no-answer")
        return _score(predicted, expected, same_value(predicted, expected) or "different")


def _score(predicted: str | None, expected: str, reason: str) -> Score:
    evidence: JSON = {
        "predicted": None if predicted is None else predicted[:_EXCERPT],
        "expected": expected[:_EXCERPT],
    }
    return Score(float(reason.startswith("equal")), reason=reason, evidence=evidence)


def _reference_text(reference: JSON) -> str | None:
    """The reference as text; None when it states no value."""
    if isinstance(reference, float):
        return repr(reference) if math.isfinite(reference) else None
    if isinstance(reference, int):
        if reference.bit_length() > 14_000:  # more digits than Python turns into text
            raise DataError("`reference` is an integer of over 4,000 digits; give it as text")
        return str(reference)
    if reference is None or isinstance(reference, str):
        stated = (reference or "").strip()
        return None if stated.casefold() in _NO_VALUE else stated
    raise DataError(f"`reference` is {type(reference).__name__}; math-equiv needs text or a number")
