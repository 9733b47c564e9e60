"""Turns what pydantic says about a value into issues: our words, one for each thing to mend."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from evalsi.core.results import JSON
from evalsi.core.spec.issues import Issue, Path, did_you_mean, listed, shown

__all__ = ["issues_of"]

_NEEDS: Final = {
    "float_type": "a number",
    "float_parsing": "a number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dataclass_type": "a mapping",
    "none_required": "null",
    "finite_number": "a finite number",
    "greater_than": "more than {gt}",
    "greater_than_equal": "{ge} or more",
    "less_than": "less than {lt}",
    "less_than_equal": "{le} or less",
    "multiple_of": "a multiple of {multiple_of}",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "string_pattern_mismatch": "text that matches {pattern}",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
}
_SHOULD_BE: Final = "Input should be "


@dataclass(frozen=True, slots=True)
class _Error:
    """One error of pydantic.

    Attributes:
        path: its place in the data.
        unions: the members of unions on the way, each with the place of its union.
        field: the last part of its location where the data lacks that.
        details: as pydantic gives them.
    """

    path: Path
    unions: tuple[tuple[Path, str | int], ...]
    field: str | int
    details: Mapping[str, Any]


def issues_of(
    error: ValidationError, data: JSON, model: type[BaseModel], prefix: Path = ()
) -> list[Issue]:
    """The issues of a validation.

    Args:
        error: what `model` said.
        data: the plain data that it was given.
        model: for the known fields.
        prefix: where the data stands in its document.
    """
    errors = [_error(details, data) for details in error.errors(include_url=False)]
    issues: list[Issue] = []
    unions: dict[Path, list[_Error]] = defaultdict(list)
    for one in errors:
        if one.unions:
            unions[one.unions[0][0]].append(one)
        else:
            issues += _issues(one, data, model, prefix)
    for at, members in unions.items():
        issues += _union(at, members, data, model, prefix)
    return issues


def _error(details: Mapping[str, Any], data: JSON) -> _Error:
    path: Path = ()
    unions: list[tuple[Path, str | int]] = []
    here, location = data, details["loc"]
    for number, part in enumerate(location):
        inside = isinstance(here, Mapping) and part in here
        if inside or (isinstance(here, list) and isinstance(part, int) and part < len(here)):
            here = here[part]  # type: ignore[index]
            path = (*path, part)
        elif number < len(location) - 1 or details["type"] != "missing":
            # Not in the data: pydantic names the member of a union (or a wrapper) this way.
            unions.append((path, part))
    return _Error(path, tuple(unions), location[-1] if location else "", details)


def _union(
    at: Path, members: Sequence[_Error], data: JSON, model: type[BaseModel], prefix: Path
) -> list[Issue]:
    """A value that fits no member of a union: told as that member which it fits best."""
    by_member: dict[str | int, list[_Error]] = defaultdict(list)
    for one in members:
        by_member[one.unions[0][1]].append(one)
    deeper = [ones for ones in by_member.values() if any(one.path != at for one in ones)]
    if deeper or len(by_member) == 1:
        best = min(deeper or by_member.values(), key=len)
        return [issue for one in best for issue in _issues(one, data, model, prefix)]
    needs = list(dict.fromkeys(_need(one.details) for one in members))
    value = shown(_at(data, at))
    return [Issue((*prefix, *at), f"is {value}; it must be {listed(needs)}")]


def _issues(one: _Error, data: JSON, model: type[BaseModel], prefix: Path) -> list[Issue]:
    kind, details, path = one.details["type"], one.details, (*prefix, *one.path)
    if kind == "issues":
        found: list[Issue] = details["ctx"]["issues"]
        return found
    if kind == "extra_forbidden":
        known = _fields(model, one.path[:-1])
        return [Issue(path, _unknown(str(one.path[-1]), known), at_key=True)]
    if kind == "too_short" and len(details["input"]) >= details["ctx"]["min_length"]:
        return []  # pydantic counts the items that are valid
    if kind == "missing":
        return [Issue(path, _missing(one.field))]
    if kind in ("value_error", "assertion_error"):
        return [Issue(path, f": {details['ctx']['error']}")]
    return [Issue(path, _unfit(details, _at(data, one.path)))]


def _missing(field: str | int) -> str:
    if isinstance(field, int):
        return f"has too few items; give at least {field + 1}"
    return f'has no "{field}", which is needed'


def _unfit(details: Mapping[str, Any], value: JSON) -> str:
    if details["type"] not in _NEEDS and not details["msg"].startswith(_SHOULD_BE):
        return f": {details['msg']}"
    hint = ""
    if details["type"] in ("literal_error", "enum"):
        hint = did_you_mean(value, re.findall(r"'([^']*)'", details["ctx"]["expected"]))
    return f"is {shown(value)}; it must be {_need(details)}{hint and ';' + hint}"


def _need(details: Mapping[str, Any]) -> str:
    context = details.get("ctx", {})
    if details["type"] in _NEEDS:
        return _NEEDS[details["type"]].format(**{key: _short(v) for key, v in context.items()})
    if "expected" in context:
        return str(context["expected"]).replace("'", '"')
    message: str = details["msg"]
    return message.removeprefix(_SHOULD_BE)


def _short(limit: object) -> object:
    return int(limit) if isinstance(limit, float) and limit.is_integer() else limit


def _unknown(name: str, known: Sequence[str]) -> str:
    hint = did_you_mean(name, known)
    if not hint and known:
        hint = f" known here: {', '.join(known)}"
    return f"is not a known field{hint and ';' + hint}"


def _at(data: JSON, path: Path) -> JSON:
    for part in path:
        data = data[part]  # type: ignore[index]
    return data


def _fields(model: type[BaseModel], path: Path) -> list[str]:
    """The names of the fields at a place, as text spells them."""
    models = [model]
    for part in path:
        if isinstance(part, int):
            continue
        inner = [
            found
            for outer in models
            for name, field in outer.model_fields.items()
            if part in (name, field.alias)
            for found in _models(field.annotation)
        ]
        models = inner or models
    names = (f.alias or name for one in models for name, f in one.model_fields.items())
    return list(dict.fromkeys(names))


def _models(annotation: object) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _models(part)]
