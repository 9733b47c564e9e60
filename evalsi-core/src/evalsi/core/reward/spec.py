"""The body of a RewardSpec: components, and the rules by which they become one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, cast

from pydantic import Field, JsonValue, ValidationError, ValidationInfo, field_validator
from pydantic import model_validator as validator
from pydantic_core import PydanticCustomError

from evalsi.core.results import JSON
from evalsi.core.sandbox import LADDER
from evalsi.core.spec.bound import Ref
from evalsi.core.spec.issues import Issue
from evalsi.core.spec.model import NAME, Body, Name, Number, SpecModel

__all__ = ["Cache", "Component", "Isolation", "RewardSpec"]


class Isolation(SpecModel):
    """Where a component's code may run.

    Attributes:
        min_isolation: the least rung of the ladder; unset: namespaced.
    """

    min_isolation: str | None = Field(None, json_schema_extra={"enum": [*LADDER, None]})


class Cache(SpecModel):
    """Whether equal content is computed once."""

    enabled: bool = True


def _without_default(schema: dict[str, JsonValue]) -> None:
    schema.pop("default", None)


class Component(SpecModel):
    """One verifier of a reward; in text a bare string is short for `{ref: …}`.

    Attributes:
        ref: the evaluator, bare or as `pack:name`.
        name: unique in its spec; by default the ref's short name.
        weight: any finite number.
        gate: whether a value below `threshold` makes the total the floor.
        threshold: only with a gate.
        metric: which of the evaluator's metrics is the value; by default its score.
        params: the evaluator's params, in snake_case as its author named them.
        sandbox: where its code may run.
    """

    ref: str = Field(min_length=1)
    name: Name = Field("", json_schema_extra=_without_default)
    weight: Number = 1.0
    gate: bool = False
    threshold: Number = 1.0
    metric: str | None = Field(None, min_length=1)
    params: dict[str, JsonValue] = Field(default_factory=dict)
    sandbox: Isolation = Field(default_factory=lambda: Isolation.model_validate({}))

    @validator(mode="before")
    @classmethod
    def _written_out(cls, given: object) -> object:
        if isinstance(given, str):
            given = {"ref": given}
        if not isinstance(given, Mapping) or given.get("name") is not None:
            return given
        rest = {key: value for key, value in given.items() if key != "name"}
        short = str(given.get("ref", "")).rpartition(":")[2]
        # A ref that is no name at all is told once, when it is looked up.
        return {**rest, "name": short} if NAME.fullmatch(short) else rest

    @field_validator("threshold")
    @classmethod
    def _belongs_to_a_gate(cls, threshold: float, info: ValidationInfo) -> float:
        if info.data.get("gate") is False:
            raise ValueError("a threshold is for gates; add `gate: true`, or remove it")
        return threshold

    def use(self, number: int) -> Ref:
        """The use of an evaluator that this component is, as number `number` of its spec."""
        return Ref(
            self.ref,
            self.name,
            cast("Mapping[str, JSON]", self.params),
            self.metric,
            self.sandbox.min_isolation,
            ("spec", "components", number),
        )


def _or_names(schema: dict[str, JsonValue]) -> None:
    schema["items"] = {"anyOf": [{"type": "string"}, schema["items"]]}


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
        judge: settings, or the name, of the judge for evaluators that need one.
        deadline_seconds: the time that one record may take in one component.
        group_field: the rollout's field by which rollouts of one prompt are known.
    """

    default_name: ClassVar[str] = "reward"

    components: tuple[Component, ...] = Field(min_length=1, json_schema_extra=_or_names)
    floor: Number = 0.0
    on_error: Literal["raise", "zero", "none"] = "raise"
    clip: tuple[Number, Number] | None = None
    cache: Cache = Field(Cache(), json_schema_extra=_or_switch)
    reference_field: str | None = Field(None, min_length=1)
    judge: str | dict[str, JsonValue] | None = None
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
        issues = _repeated(list(enumerate(self.components)))
        if issues:
            raise PydanticCustomError("issues", "names repeat", {"issues": issues})
        return self

    def refs(self) -> list[Ref]:
        """The components as uses of evaluators."""
        return [component.use(number) for number, component in enumerate(self.components)]

    @classmethod
    def salvage(cls, body: JSON) -> tuple[list[Ref], list[Issue]]:
        """The components that stand on their own, and names that repeat among them."""
        written = body.get("components") if isinstance(body, Mapping) else None
        if not isinstance(written, list):
            return [], []
        sound = [(number, _sound(one, number)) for number, one in enumerate(written)]
        kept = [(number, component) for number, component in sound if component is not None]
        return [component.use(number) for number, component in kept], _repeated(kept)


def _sound(written: JSON, number: int) -> Component | None:
    for _ in range(3):  # a field that goes may take the sense of another with it
        try:
            return Component.model_validate(written)
        except ValidationError as error:
            wrong = {issue["loc"][0] for issue in error.errors() if issue["loc"]}
        if not isinstance(written, Mapping):
            break
        written = {key: value for key, value in written.items() if key not in wrong}
        if "name" in wrong:
            written["name"] = f"unnamed-{number}"
    return None


def _repeated(components: Sequence[tuple[int, Component]]) -> list[Issue]:
    first: dict[str, int] = {}
    issues = []
    for number, component in components:
        held = first.setdefault(component.name, number)
        if component.name and held != number:
            issues.append(
                Issue(
                    ("spec", "components", number, "name"),
                    f'is "{component.name}", as is that of components[{held}]; '
                    f"give each its own `name`",
                )
            )
    return issues
