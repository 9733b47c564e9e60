"""One use of an evaluator as text states it, the same in every kind of spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from pydantic import Field, JsonValue, ValidationError
from pydantic import model_validator as validator

from evalsi.core.results import JSON
from evalsi.core.sandbox import LADDER
from evalsi.core.spec.bound import Ref
from evalsi.core.spec.issues import Issue, Path
from evalsi.core.spec.model import NAME, Name, SpecModel

__all__ = ["Isolation", "Use", "or_names", "repeated", "salvaged"]


class Isolation(SpecModel):
    """Where an evaluator's code may run.

    Attributes:
        min_isolation: the least rung of the ladder; unset: namespaced.
    """

    min_isolation: str | None = Field(None, json_schema_extra={"enum": [*LADDER, None]})


def _without_default(schema: dict[str, JsonValue]) -> None:
    schema.pop("default", None)


class Use(SpecModel):
    """One use of an evaluator; in text a bare string is short for `{ref: …}`.

    Attributes:
        ref: the evaluator, bare or as `pack:name`.
        name: unique in its spec; by default the ref's short name.
        metric: which of the evaluator's metrics is the value; by default its score.
        params: the evaluator's params, in snake_case as its author named them.
        sandbox: where its code may run.
    """

    ref: str = Field(min_length=1)
    name: Name = Field("", json_schema_extra=_without_default)
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

    def at(self, path: Path) -> Ref:
        """The use as binding takes it, from its place in the spec."""
        return Ref(
            self.ref,
            self.name,
            cast("Mapping[str, JSON]", self.params),
            self.metric,
            self.sandbox.min_isolation,
            path,
        )


U = TypeVar("U", bound=Use)


def or_names(schema: dict[str, JsonValue]) -> None:
    """Lets the JSON Schema of a list of uses take bare strings."""
    schema["items"] = {"anyOf": [{"type": "string"}, schema["items"]]}


def salvaged(written: JSON, kind: type[U], place: Path) -> tuple[list[Ref], list[Issue]]:
    """The uses of a list that stand on their own, and names that repeat among them."""
    if not isinstance(written, list):
        return [], []
    sound = [(number, _sound(one, kind, number)) for number, one in enumerate(written)]
    kept = [(number, use) for number, use in sound if use is not None]
    return [use.at((*place, number)) for number, use in kept], repeated(kept, place)


def repeated(uses: Sequence[tuple[int, Use]], place: Path) -> list[Issue]:
    """An issue for each name that an earlier use has."""
    first: dict[str, int] = {}
    issues = []
    for number, use in uses:
        held = first.setdefault(use.name, number)
        if use.name and held != number:
            issues.append(
                Issue(
                    (*place, number, "name"),
                    f'is "{use.name}", as is that of {place[-1]}[{held}]; give each its own `name`',
                )
            )
    return issues


def _sound(written: JSON, kind: type[U], number: int) -> U | None:
    for _ in range(3):  # a field that goes may take the sense of another with it
        try:
            return kind.model_validate(written)
        except ValidationError as error:
            wrong = {issue["loc"][0] for issue in error.errors() if issue["loc"]}
        if not isinstance(written, Mapping):
            break
        written = {key: value for key, value in written.items() if key not in wrong}
        if "name" in wrong:
            written["name"] = f"unnamed-{number}"
    return None
