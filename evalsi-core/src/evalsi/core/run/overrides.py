"""Changes to a spec from the command line: `target.base_url=http://…`, before it is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evalsi.core.errors import SpecError
from evalsi.core.results import JSON
from evalsi.core.spec.issues import Path
from evalsi.core.spec.parsed import BadText
from evalsi.core.spec.source import Source

__all__ = ["overridden"]


def overridden(source: Source, sets: Sequence[str]) -> Source:
    """The source with values put in place.

    Args:
        source: with its envelope.
        sets: `path=value` each; the path goes on behind `spec`, with numbers into lists, and the
            value is read as YAML.

    Raises:
        SpecError: a change that is not of that form, or whose path leads nowhere.
    """
    for change in sets:
        name, equals, text = change.partition("=")
        if not equals or not name:
            raise SpecError(f"--set {change}: give PATH=VALUE, as target.base_url=http://…")
        data = source.data
        if not isinstance(data, Mapping):
            return source
        body, path = _put(data.get("spec", {}), name.split("."), _value(change, text), change)
        options = {**source.options, ("spec", *path): f"--set {name}"}
        source = replace(source, data={**data, "spec": body}, options=options)
    return source


def _value(change: str, text: str) -> JSON:
    from evalsi.core.spec.yaml12 import read_yaml

    if not text.strip():
        return ""
    try:
        return read_yaml(text).data
    except BadText as error:
        raise SpecError(f"--set {change}: {error}") from error


def _put(here: JSON, path: Sequence[str], value: JSON, change: str) -> tuple[JSON, Path]:
    """What is there with the value in it, and the path to what the change brought."""
    if not path:
        return value, ()
    name, *rest = path
    if isinstance(here, list) and name.isdecimal() and int(name) < len(here):
        place = int(name)
        put, behind = _put(here[place], rest, value, change)
        return [*here[:place], put, *here[place + 1 :]], (place, *behind)
    if here is None:
        here = {}
    if not isinstance(here, Mapping):
        raise SpecError(f"--set {change}: nothing can be put at {name!r}; check the path")
    put, behind = _put(here.get(name), rest, value, change)
    return {**here, name: put}, (name, *behind) if name in here else (name,)
