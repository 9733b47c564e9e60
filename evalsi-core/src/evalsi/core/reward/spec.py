"""The body of a RewardSpec: components, and the rules by which they become one number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, JsonValue, ValidationInfo, field_validator
from pydantic import model_validator as validator
from pydantic_core import PydanticCustomError

from evalsi.core.judge import JudgeConfig
from evalsi.core.results import JSON
from evalsi.core.spec.bound import Ref
from evalsi.core.spec.issues import Issue
from evalsi.core.spec.model import Body, Number, SpecModel
from evalsi.core.spec.use import Use, or_names, repeated, salvaged

__all__ = ["Cache", "Component", "RewardSpec"]


class Cache(SpecModel):
    """Whether equal content is computed once."""

    enabled: bool = True


class Component(Use):
    """One verifier of a reward: a use of an evaluator, and how it counts.

    Attributes:
        weight: any finite number.
        gate: whether a value below `threshold` makes the total the floor.
        threshold: only with a gate.
    """

    weight: Number = 1.0
    gate: bool = False
    threshold: Number = 1.0

    @field_validator("threshold")
    @classmethod
    def _belongs_to_a_gate(cls, threshold: float, info: ValidationInfo) -> float:
        if info.data.get("gate") is False:
            raise ValueError("a threshold is for gates; add `gate: true`, or remove it")
        return threshold


def _or_switch(schema: dict[str, JsonValue]) -> None:
    settings = {"$ref": schema.pop("$ref")} if "$ref" in schema else {"allOf": schema.pop("allOf")}
    schema["anyOf"] = [{"type": "boolean"}, settings]


class RewardSpec(Body):
    """Components and rules; the order of the rules is that of `evalsi.core.reward`.

    Attributes:
        components: at least one; names are unique.
        floor: the total when a gate fails.
        on_error: what an errored component does: fail the batch, add nothing, or give no total.
        clip: bounds of the weighted sum, low then high.
        cache: on by default; `cache: false` is short for `{enabled: false}`.
        reference_field: the rollout's field that holds the reference.
        judge: settings, or on a server the name, of the judge for evaluators that need one.
        deadline_seconds: the time that one record may take in one component.
        group_field: the rollout's field by which rollouts of one prompt are known.
    """

    default_name: ClassVar[str] = "reward"

    components: tuple[Component, ...] = Field(min_length=1, json_schema_extra=or_names)
    floor: Number = 0.0
    on_error: Literal["raise", "zero", "none"] = "raise"
    clip: tuple[Number, Number] | None = None
    cache: Cache = Field(Cache(), json_schema_extra=_or_switch)
    reference_field: str | None = Field(None, min_length=1)
    judge: str | JudgeConfig | None = None
    deadline_seconds: Annotated[Number, Field(gt=0)] | None = None
    group_field: str | None = Field(None, min_length=1)

    @field_validator("clip")
    @classmethod
    def _ordered(cls, clip: tuple[float, float] | None) -> tuple[float, float] | None:
        if clip is not None and clip[0] > clip[1]:
            raise ValueError(f"the low bound {clip[0]:g} is above the high bound {clip[1]:g}")
        return clip

    @field_validator("cache", mode="before")
    @classmethod
    def _switch(cls, cache: object) -> object:
        if isinstance(cache, bool):
            return {"enabled": cache}
        if not isinstance(cache, Mapping | Cache):
            raise ValueError("give true, false, or a mapping with `enabled`")  # noqa: TRY004 - pydantic's way
        return cache

    @validator(mode="after")
    def _names_differ(self) -> RewardSpec:
        issues = repeated(list(enumerate(self.components)), _PLACE)
        if issues:
            raise PydanticCustomError("issues", "names repeat", {"issues": issues})
        return self

    def refs(self) -> list[Ref]:
        """The components as uses of evaluators."""
        places = enumerate(self.components)
        return [component.at((*_PLACE, number)) for number, component in places]

    @classmethod
    def salvage(cls, body: JSON) -> tuple[list[Ref], list[Issue]]:
        """The components that stand on their own, and names that repeat among them."""
        written = body.get("components") if isinstance(body, Mapping) else None
        return salvaged(written, Component, _PLACE)


_PLACE = ("spec", "components")
