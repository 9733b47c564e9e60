"""json-valid and json-schema beyond their labelled cases."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from evalsi.core.evaluator import Tools
from evalsi.core.records import Record
from evalsi.core.results import Score
from evalsi_pack_general.json_schema import JsonSchema, JsonSchemaParams
from evalsi_pack_general.json_text import NoJsonError, parsed
from evalsi_pack_general.json_valid import JsonValid, JsonValidParams
from evalsi_pack_general.schema_check import SchemaCheck, TooLargeError

NUMBERS = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
SCHEMAS: tuple[dict[str, Any], ...] = (
    {"type": ["object", "array"], "minItems": 1, "minProperties": 1},
    {"anyOf": [{"type": "string", "pattern": "^a"}, {"type": "number", "multipleOf": 2}]},
    {"additionalProperties": {"type": "integer"}, "items": {"type": "string"}},
    {"patternProperties": {"^[a-m]": {"type": "string"}}, "additionalProperties": False},
    {"$defs": {"t": {"items": {"$ref": "#/$defs/t"}, "uniqueItems": True}}, "$ref": "#/$defs/t"},
    {"not": {"enum": [None, True, 1, "a", [], {}]}},
)


def schema_check(output: str, schema: dict[str, Any]) -> Score:
    params = JsonSchemaParams.model_validate({"schema": schema})
    answer = JsonSchema(params, Tools()).score(Record(id="1", output=output))
    assert isinstance(answer, Score)
    return answer


@given(VALUES)
def test_what_python_writes_is_read_back(value: Any) -> None:
    assert parsed(json.dumps(value), "optional") == value


@given(st.text(alphabet='{}[]",:0123456789.eE+- \nntruefalsx\\/'))
def test_what_python_does_not_read_is_no_json(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        with pytest.raises(NoJsonError):
            parsed(text, "forbidden")


@given(VALUES, st.sampled_from(SCHEMAS))
def test_our_keywords_judge_as_the_library_does(value: Any, schema: dict[str, Any]) -> None:
    fits = not SchemaCheck(schema).problems(value)

    assert fits == Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "text"}, "the schema is wrong at $.type"),
        ({"$ref": "https://example.test/s.json"}, "refers to 'https://example.test/s.json'"),
        ({"items": {"$ref": "#/$defs/no"}}, "refers to '#/$defs/no', which it does not hold"),
        ({"$ref": "file:///etc/passwd"}, "nothing is fetched"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "knows draft 2020-12"),
        ({"pattern": "(?=a)b"}, "no pattern of RE2"),
        ({"items": {"patternProperties": {"(a": {}}}}, "no pattern of RE2"),
        ({"$ref": "#/odd/place", "odd": {"place": {"pattern": "(?!a)"}}}, "no pattern of RE2"),
        ({"pattern": "\\p{L}(?!a)"}, "no pattern of RE2"),
        ({"$ref": "#"}, "refers to itself without end"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "refers to itself without end"),
        ({"items": {"not": {"$ref": "#/items"}}}, "refers to itself without end"),
        ({"patternProperties": {"a": {}}, "unevaluatedProperties": False}, "additionalProperties"),
    ],
    ids=[
        "type",
        "remote",
        "nowhere",
        "file",
        "draft",
        "pattern",
        "name",
        "odd-place",
        "look-ahead",
        "endless",
        "endless-within",
        "endless-not",
        "unevaluated",
    ],
)
def test_a_schema_that_cannot_be_checked_is_refused(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        JsonSchemaParams.model_validate({"schema": schema})


def test_no_schema_opens_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with pytest.raises(ValidationError):
        JsonSchemaParams.model_validate({"schema": {"$ref": "http://127.0.0.1:9/s.json"}})


def test_the_evidence_names_the_places_that_do_not_fit() -> None:
    schema = {"properties": {"a": {"items": {"type": "integer"}}}, "required": ["b"]}

    assert schema_check('{"a": [1, "x"]}', schema) == Score(
        0.0,
        reason="does-not-fit",
        evidence={
            "problems": ["$.a[1]: 'x' is not of type 'integer'", "$: 'b' is a required property"]
        },
    )


def test_alternatives_that_double_at_every_level_come_to_an_end() -> None:
    level = {"type": "array", "items": {"$ref": "#"}, "minItems": 2}
    schema = {"anyOf": [level, level, {"type": "string"}]}
    value: Any = 1
    for _ in range(40):
        value = [value, value] if isinstance(value, int) else [value, 1]
    check = SchemaCheck(schema)

    started = time.process_time()
    with contextlib.suppress(TooLargeError):
        assert check.problems(value)

    assert time.process_time() - started < 30


def test_a_value_with_too_many_parts_is_too_large() -> None:
    text = "[" + ",".join(["0"] * 250_000) + "]"

    assert schema_check(text, {"items": {"type": "integer"}}).reason == "too-large"


@pytest.mark.parametrize("unit", ['{"a":', "[", '"', '\\"', '["', "{}", "[],", "1,", "```\n"])
def test_reading_takes_linear_time(unit: str) -> None:
    record = Record(id="1", output=unit * 500_000)
    started = time.process_time()
    JsonValid(JsonValidParams(), Tools()).score(record)

    assert time.process_time() - started < 5


def test_many_names_of_which_one_stands_twice_take_linear_time() -> None:
    text = "{" + ",".join(f'"{n}": 0' for n in [*range(200_000), 199_999]) + "}"
    started = time.process_time()

    with pytest.raises(NoJsonError, match="'199999' twice"):
        parsed(text, "optional")

    assert time.process_time() - started < 5
