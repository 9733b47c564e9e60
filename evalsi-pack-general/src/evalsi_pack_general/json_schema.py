"""Whether the answer is JSON that fits a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, cast

from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import JSON, Score
from evalsi_pack_general.answers import UNCLOSED, answer_of, excerpt
from evalsi_pack_general.json_text import JsonParams, NoJsonError, parsed
from evalsi_pack_general.schema_check import SchemaCheck, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalsi.core.records import Record

__all__ = ["JsonSchema", "JsonSchemaParams"]

_NO_ANSWER: Final = Score(0.0, reason=UNCLOSED)
_DEEPEST: Final = 64  # a level takes some ten frames of Python's stack to check
_TOO_DEEP: Final = Score(0.0, reason="too-deep", stable=False)


def _sound(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    SchemaCheck(cast("Mapping[str, JSON]", schema))
    return schema


class JsonSchemaParams(JsonParams):
    """The schema, and where in the answer the JSON is."""

    # A field of the name `schema` would hide a method of pydantic's.
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    json_schema: Annotated[dict[str, JsonValue], AfterValidator(_sound)] = Field(
        alias="schema",
        description="A JSON Schema of draft 2020-12; references stay within it, `format` is an "
        "annotation, patterns are RE2's.",
    )


class JsonSchema:
    """1 when the answer is one JSON value that fits the schema, else 0 with a reason code.

    The evidence names the first three places that do not fit. A value that nests deeper than 64
    levels, or takes more than 100,000 steps to check, scores 0 with reason `too-deep` or
    `too-large`.

    Source: JSON Schema, draft 2020-12.
    """

    Params = JsonSchemaParams
    reads = ("output",)
    needs = frozenset[Need]()
    bounded = True

    @staticmethod
    def backend(params: JsonSchemaParams) -> str:  # noqa: ARG004
        """The library that walks the schema, with its version."""
        from importlib.metadata import version

        return f"jsonschema {version('jsonschema')}"

    def __init__(self, params: JsonSchemaParams, tools: Tools) -> None:  # noqa: ARG002
        self._params = params
        self._check = SchemaCheck(cast("Mapping[str, JSON]", params.json_schema))

    def score(self, record: Record) -> Answer:
        """The verdict on one completion."""
        answer = answer_of(record.output, self._params.thinking)
        if answer is None:
            return _NO_ANSWER
        try:
            value = parsed(answer, self._params.code_fence, deepest=_DEEPEST)
            problems = self._check.problems(value)
        except NoJsonError as error:
            return Score(0.0, reason=error.reason, evidence={"why": str(error)})
        except TooLargeError as error:
            return Score(0.0, reason="too-large", evidence={"why": str(error)})
        except RecursionError:
            return _TOO_DEEP
        if problems:
            evidence: JSON = {"problems": [excerpt(problem) for problem in problems]}
            return Score(0.0, reason="does-not-fit", evidence=evidence)
        return Score(1.0, reason="fits")
