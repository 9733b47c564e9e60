"""What an evaluator says about itself, as plain data for people and tools."""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from evalsi.core.errors import PluginError
from evalsi.core.spec.contract import BrokenContract, by_params, declared, entry_of, params_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

    from evalsi.core.plugins import PluginHost, Registered

__all__ = ["entry"]

_BY_PARAMS = "by params"
_FACTS = ("reads", "needs", "bounded", "metrics")
_WORDS = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "bool": "true or false",
    "NoneType": "null",
}


def entry(host: PluginHost, plugin: Registered) -> dict[str, Any]:
    """One evaluator's entry; one that cannot be imported, or breaks its contract, has `error`."""
    head: dict[str, Any] = {
        "name": plugin.full_name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "summary": plugin.summary,
    }
    try:
        cls = host.load("evaluator", plugin.full_name)
        method = entry_of(cls)
        assert isinstance(cls, type)
        return head | {"entry": method} | _described(cls, plugin.name)
    except (PluginError, BrokenContract) as error:
        return head | {"error": str(error)}


def _described(cls: type, short_name: str) -> dict[str, Any]:
    model = params_of(cls)
    return {
        "doc": inspect.cleandoc(cls.__doc__ or ""),
        **_facts(cls, short_name),
        "params": [] if model is None else _params(model),
    }


def _facts(cls: type, short_name: str) -> dict[str, Any]:
    # A copy without what depends on params: the rest still shows.
    undecided = by_params(cls)
    held = {
        name: getattr(cls, name) for name in _FACTS if hasattr(cls, name) and name not in undecided
    }
    says = declared(type(cls.__name__, (), held), short_name, None)
    facts: dict[str, Any] = {
        "reads": [*says.fields, *_metadata(says.metadata)],
        "needs": sorted(need.value for need in says.needs),
        "bounded": says.bounded,
        "metrics": dict(says.metrics),
    }
    return facts | {name: _BY_PARAMS for name in undecided if name in facts}


def _metadata(keys: tuple[str, ...] | None) -> list[str]:
    return ["metadata"] if keys is None else [f"metadata.{key}" for key in keys]


def _params(model: type[BaseModel]) -> list[Mapping[str, Any]]:
    schema = model.model_json_schema(by_alias=True)["properties"]
    return [
        {
            "name": field.alias or name,
            "type": _type(field.annotation),
            "needed": field.is_required(),
            "default": schema[field.alias or name].get("default"),
            "doc": field.description or "",
        }
        for name, field in model.model_fields.items()
    ]


def _type(annotation: object) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return " or ".join(_type(part) for part in arguments)
    if hasattr(annotation, "__metadata__"):
        return _type(arguments[0])
    if origin in (list, tuple, set, frozenset):
        return f"list of {_type(arguments[0])}" if arguments else "list"
    if origin is dict:
        return "mapping"
    if arguments:  # a Literal
        return " | ".join(str(value) for value in arguments)
    name = getattr(annotation, "__name__", str(annotation))
    return _WORDS.get(name, name)
