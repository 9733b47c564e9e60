"""The body of an EvalRun: a target, a dataset, evaluators, and what must hold of the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, JsonValue, field_validator
from pydantic import model_validator as validator
from pydantic_core import PydanticCustomError

from evalsi.core.judge import JudgeConfig
from evalsi.core.results import JSON
from evalsi.core.spec.bound import Ref
from evalsi.core.spec.issues import Issue
from evalsi.core.spec.model import Body, Number, SpecModel
from evalsi.core.spec.use import Use, or_names, repeated, salvaged

__all__ = ["Dataset", "EvalRun", "Gate", "Inline", "Target"]

Positive = Annotated[int, Field(ge=1)]


class Target(SpecModel):
    """What is asked: a connector, and beside it the connector's own params in snake_case.

    Attributes:
        connector: its name, bare or as `pack:name`.
    """

    model_config = ConfigDict(extra="allow")

    connector: str = Field(min_length=1)

    @property
    def params(self) -> dict[str, JSON]:
        """The connector's params as written."""
        return dict(self.model_extra or {})


class Inline(SpecModel):
    """Records that stand in the spec itself."""

    records: tuple[dict[str, JsonValue], ...] = Field(min_length=1)


class Dataset(SpecModel):
    """Where the records come from, and which of them are asked.

    Attributes:
        path: a file beside the spec: .jsonl, .csv or .parquet, the first two also .gz.
        uri: `hf://owner/name?config=&split=`, or the URL of such a file.
        inline: the records themselves.
        mapping: ours to theirs: `input`, `messages`, `reference`, `id` or `metadata.<key>` to a
            field of the row; a dotted name reaches into mappings.
        limit: at most so many records.
        seed: makes the `limit` a sample that hangs on this number alone, instead of the first.
        stratify: the field whose values the sample has in the proportions of the whole.
        ids: a fixed panel: these records alone.
        filter: field to value, or to a list of values that are let through.
    """

    path: str | None = Field(None, min_length=1)
    uri: str | None = Field(None, min_length=1)
    inline: Inline | None = None
    mapping: dict[str, str] = Field(default_factory=dict)
    limit: Positive | None = None
    seed: int | None = None
    stratify: str | None = Field(None, min_length=1)
    ids: tuple[str | int, ...] | None = Field(None, min_length=1)
    filter: dict[str, JsonValue] = Field(default_factory=dict)

    @field_validator("mapping")
    @classmethod
    def _ours(cls, mapping: dict[str, str]) -> dict[str, str]:
        for name in mapping:
            if name not in _MAPPED and not (name.startswith("metadata.") and len(name) > 9):
                raise ValueError(
                    f'"{name}" is no field of a record; map {", ".join(_MAPPED)} or metadata.<key>'
                )
        return mapping

    @validator(mode="after")
    def _one_place(self) -> Dataset:
        given = [name for name in ("path", "uri", "inline") if getattr(self, name) is not None]
        if len(given) != 1:
            found = f"has {' and '.join(given)}" if given else "has no records"
            raise PydanticCustomError("dataset", f"{found}; give one of path, uri or inline")
        if self.seed is not None and self.limit is None:
            raise PydanticCustomError("dataset", "a sample needs its size; add `limit`")
        if self.stratify is not None and self.seed is None:
            raise PydanticCustomError("dataset", "only a sample has strata; add `seed`")
        return self


_MAPPED = ("input", "messages", "reference", "id")


class Gate(SpecModel):
    """What a metric must reach; the run fails, with exit code 3, where it does not.

    Attributes:
        metric: the metric's name as results show it: `math-equiv`, `math-equiv.pass@8`.
        min: the least value that passes.
        max: the greatest value that passes.
        on: whether the mean is held to it, or an end of its interval.
    """

    metric: str = Field(min_length=1)
    min: Number | None = None
    max: Number | None = None
    on: Literal["mean", "lo", "hi"] = "mean"

    @validator(mode="after")
    def _bounds(self) -> Gate:
        if self.min is None and self.max is None:
            raise PydanticCustomError("gate", "this gate holds nothing; add `min` or `max`")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise PydanticCustomError("gate", "`min` is above `max`, so that nothing passes")
        return self


class EvalRun(Body):
    """One evaluation of one target.

    Attributes:
        target: what is asked.
        dataset: what it is asked.
        evaluators: at least one; names are unique.
        trials: how often each record is asked; from 2 on there are pass@k and pass^k.
        repeat_greedy: asks a target at temperature 0 several times all the same.
        gates: what metrics must reach.
        judge: settings, or on a server the name, of the judge for evaluators that need one.
        max_error_rate: the share of errors up to which there is a verdict.
        concurrency: requests in flight.
        cluster_field: records with equal values of this field are not independent.
        deadline_seconds: the time that one record may take in one evaluator.
    """

    default_name: ClassVar[str] = "run"

    target: Target
    dataset: Dataset
    evaluators: tuple[Use, ...] = Field(min_length=1, json_schema_extra=or_names)
    trials: Positive = 1
    repeat_greedy: bool = False
    gates: tuple[Gate, ...] = ()
    judge: str | JudgeConfig | None = None
    max_error_rate: Annotated[Number, Field(ge=0, le=1)] = 0.05
    concurrency: Positive = 16
    cluster_field: str | None = Field(None, min_length=1)
    deadline_seconds: Annotated[Number, Field(gt=0)] | None = None

    @validator(mode="after")
    def _names_differ(self) -> EvalRun:
        issues = repeated(list(enumerate(self.evaluators)), _PLACE)
        if issues:
            raise PydanticCustomError("issues", "names repeat", {"issues": issues})
        return self

    def refs(self) -> list[Ref]:
        """The evaluators as uses."""
        return [use.at((*_PLACE, number)) for number, use in enumerate(self.evaluators)]

    @classmethod
    def salvage(cls, body: JSON) -> tuple[list[Ref], list[Issue]]:
        """The uses that stand on their own, and names that repeat among them."""
        written = body.get("evaluators") if isinstance(body, Mapping) else None
        return salvaged(written, Use, _PLACE)


_PLACE = ("spec", "evaluators")
