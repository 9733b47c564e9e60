"""Keywords of JSON Schema that take linear time, in place of those of the library `jsonschema`.

Patterns run in RE2 and not in `re`; items are unique when their canonical texts are, not when no
two are equal; multiples are counted exactly, by the digits that stand in the text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from evalsi.core.results import JSON
from evalsi_pack_general.linear_pattern import linear_pattern

__all__ = ["counting_validator"]

_Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


def counting_validator(count: Callable[[], None]) -> Any:
    """The library's validator with our keywords, which calls `count` for every keyword applied."""
    keywords = {**Draft202012Validator.VALIDATORS, **_OURS}
    counted = {name: _counted(keyword, count) for name, keyword in keywords.items()}
    return extend(Draft202012Validator, counted)  # type: ignore[no-untyped-call]


def _counted(keyword: _Keyword, count: Callable[[], None]) -> _Keyword:
    def counted(
        validator: Any, value: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError] | None:
        count()
        return keyword(validator, value, instance, schema)

    return counted


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and linear_pattern(pattern).search(instance) is None:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], instance: Any, _: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for pattern, part in patterns.items():
        for name, value in instance.items():
            if linear_pattern(pattern).search(name) is not None:
                yield from validator.descend(value, part, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, part: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for name, value in instance.items():
        if name in named or any(linear_pattern(one).search(name) is not None for one in patterns):
            continue
        if part is False:
            yield ValidationError(f"{name!r} is not allowed as a further property")
        else:
            yield from validator.descend(value, part, path=name)


def _unique_items(_: Any, wanted: bool, instance: Any, __: Any) -> Iterator[ValidationError]:
    if not wanted or not isinstance(instance, list):
        return
    texts = [json.dumps(_canonical(item), sort_keys=True) for item in instance]
    if len(set(texts)) != len(texts):
        yield ValidationError("its items are not all different")


def _multiple_of(_: Any, factor: float, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, bool) or not isinstance(instance, int | float):
        return
    if (Fraction(repr(instance)) / Fraction(repr(factor))).denominator != 1:
        yield ValidationError(f"{instance!r} is not a multiple of {factor!r}")


def _canonical(value: JSON) -> JSON:
    """The value with 1.0 as 1, which JSON Schema calls the same."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, dict):
        return {name: _canonical(item) for name, item in value.items()}
    return value


_OURS: Final[Mapping[str, _Keyword]] = {
    "additionalProperties": _additional_properties,
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
}
