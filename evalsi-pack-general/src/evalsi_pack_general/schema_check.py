"""Values against a JSON Schema of draft 2020-12, in bounded time and without the network.

The library `jsonschema` walks the schema, with our own keywords where its take more than linear
time. Every keyword that is applied counts towards a limit: recursive alternatives are exponential.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from evalsi.core.results import JSON
from evalsi_pack_general.linear_pattern import linear_pattern
from evalsi_pack_general.schema_keywords import counting_validator

__all__ = ["SchemaCheck", "TooLargeError"]

_STEPS: Final = 100_000
_ENDLESS: Final = "the schema refers to itself without end"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PROBES: Final[tuple[JSON, ...]] = (None, {}, [])


class TooLargeError(Exception):
    """The value takes more steps to check than are allowed."""


class SchemaCheck:
    """A schema ready to check values. Safe from many threads.

    Raises:
        ValueError: it is no schema of draft 2020-12, refers to what it does not hold, or has a
            pattern that RE2 does not read; the message is a clause.
    """

    def __init__(self, schema: Mapping[str, JSON]) -> None:
        _require_dialect(schema)
        _require_sound(schema)
        self._steps = threading.local()
        self._validator = counting_validator(self._count)(schema, registry=REGISTRY)
        try:
            for probe in _PROBES:
                self.problems(probe)
        except RecursionError as error:
            raise ValueError(_ENDLESS) from error

    def problems(self, value: JSON, most: int = 3) -> list[str]:
        """The first reasons why a value does not fit, each with its place; none when it fits.

        Raises:
            TooLargeError: it takes more than 100,000 steps.
            RecursionError: value and schema nest too deeply together.
        """
        self._steps.left = _STEPS
        errors = self._validator.iter_errors(value)
        return [f"{error.json_path}: {error.message}" for error in itertools.islice(errors, most)]

    def _count(self) -> None:
        self._steps.left -= 1
        if self._steps.left < 0:
            raise TooLargeError(f"it takes more than {_STEPS} steps to check")


def _require_dialect(schema: Mapping[str, JSON]) -> None:
    dialect = schema.get("$schema", _DIALECT)
    if str(dialect).rstrip("#") != _DIALECT:
        raise ValueError(f"the schema is of {dialect}; json-schema knows draft 2020-12, {_DIALECT}")
    try:
        # Without formats: `regex` would be Python's, and ours are RE2's.
        Draft202012Validator.check_schema(dict(schema), format_checker=FormatChecker(()))
    except SchemaError as error:
        raise ValueError(f"the schema is wrong at {error.json_path}: {error.message}") from error


def _require_sound(schema: Mapping[str, JSON]) -> None:
    """References lead into the schema or the draft's own, and to an end; patterns are linear."""
    root = DRAFT202012.create_resource(schema)
    base = root.id() or ""
    resolver = REGISTRY.with_resource(base, root).resolver(base)
    same: dict[int, list[int]] = {}  # schemas, and those that look at the same value as each
    left = [(resolver, root.contents)]
    while left:
        resolver, contents = left.pop()
        if not isinstance(contents, Mapping) or id(contents) in same:
            continue
        same[id(contents)] = [id(part) for part in _in_place(contents)]
        _require_linear(contents)
        for keyword in ("$ref", "$dynamicRef"):
            if isinstance(reference := contents.get(keyword), str):
                try:
                    found = resolver.lookup(reference)
                except Unresolvable as error:
                    raise ValueError(
                        f"the schema refers to {reference!r}, which it does not hold; nothing is "
                        "fetched"
                    ) from error
                same[id(contents)].append(id(found.contents))
                left.append((found.resolver, found.contents))
        resource = DRAFT202012.create_resource(contents)
        parts = resource.subresources()
        left.extend((resolver.in_subresource(part), part.contents) for part in parts)
    try:
        TopologicalSorter(same).prepare()
    except CycleError as error:
        raise ValueError(_ENDLESS) from error


def _in_place(contents: Mapping[str, Any]) -> Iterator[object]:
    """The schemas in a schema that look at the same value."""
    yield from (contents[name] for name in ("not", "if", "then", "else") if name in contents)
    for name in ("allOf", "anyOf", "oneOf"):
        yield from contents.get(name, ())
    yield from contents.get("dependentSchemas", {}).values()


def _require_linear(contents: Mapping[str, Any]) -> None:
    patterns = contents.get("patternProperties", {})
    for pattern in (*patterns, *([contents["pattern"]] if "pattern" in contents else [])):
        linear_pattern(pattern)
    if patterns and "unevaluatedProperties" in contents:
        raise ValueError(
            "the schema has unevaluatedProperties beside patternProperties, which cannot be "
            "checked in linear time; use additionalProperties"
        )
