"""Reads YAML 1.2 with the place of every key and value.

PyYAML resolves plain words by YAML 1.1, where `no` is false and `1e3` is text; here its events
are built by the core schema of 1.2. Aliases are bounded, and nothing is constructed but plain data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml

from evalsi.core.results import JSON
from evalsi.core.spec.issues import Mark, Path, listed
from evalsi.core.spec.parsed import MAX_DEPTH, MAX_VALUES, BadText, Parsed, twice

__all__ = ["read_yaml"]

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: Final[dict[str, JSON]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_TAG: Final = "tag:yaml.org,2002:"
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (float, int),
}


def read_yaml(text: str) -> Parsed:
    """The data of a text that holds one YAML document.

    Raises:
        BadText: it is no such text, nests or expands too far, or uses tags or merge keys.
    """
    try:
        return _Builder(text).document()
    except yaml.MarkedYAMLError as error:
        raise _bad(error, text) from error


class _Builder:
    def __init__(self, text: str) -> None:
        self._events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        self._parsed = Parsed(None)
        self._anchors: dict[str, tuple[JSON, int] | None] = {}
        self._values = 0

    def document(self) -> Parsed:
        next(self._events)
        start = next(self._events)
        if isinstance(start, yaml.StreamEndEvent):
            raise BadText(Mark(1, 1), "the file is empty; a spec is a mapping")
        self._parsed.data = self._node(next(self._events), ())
        next(self._events)
        further = next(self._events)
        if not isinstance(further, yaml.StreamEndEvent):
            raise BadText(_mark(further), "a second document starts here; a file holds one spec")
        return self._parsed

    def _node(self, event: Any, path: Path) -> JSON:
        self._parsed.values[path] = _mark(event)
        self._count(event, 1)
        if len(path) > MAX_DEPTH:
            raise BadText(_mark(event), f"values nest more than {MAX_DEPTH} deep")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        before = self._values
        value = self._value(event, path)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, self._values - before)
        return value

    def _value(self, event: Any, path: Path) -> JSON:
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        wanted = "map" if isinstance(event, yaml.MappingStartEvent) else "seq"
        if event.tag not in (None, "!", _TAG + wanted):
            raise _tagged(event)
        return self._mapping(path) if wanted == "map" else self._sequence(path)

    def _count(self, event: Any, values: int) -> None:
        self._values += values
        if self._values > MAX_VALUES:
            raise BadText(_mark(event), f"the spec expands to more than {MAX_VALUES} values")

    def _alias(self, event: Any) -> JSON:
        if event.anchor not in self._anchors:
            raise BadText(_mark(event), f"the alias *{event.anchor} has no anchor before it")
        held = self._anchors[event.anchor]
        if held is None:
            raise BadText(_mark(event), f"the alias *{event.anchor} stands inside its own anchor")
        self._count(event, held[1])
        return held[0]

    def _sequence(self, path: Path) -> list[JSON]:
        items: list[JSON] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._node(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, JSON]:
        mapping: dict[str, JSON] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = _key(event)
            at = (*path, key)
            if key in mapping:
                self._parsed.issues.append(twice(at, _mark(event), self._parsed.keys[at]))
                self._node(next(self._events), (*at, "given again"))
            else:
                self._parsed.keys[at] = _mark(event)
                mapping[key] = self._node(next(self._events), at)
        return mapping


def _key(event: Any) -> str:
    if not isinstance(event, yaml.ScalarEvent):
        raise BadText(_mark(event), "a key is text; quote it if it starts with a special sign")
    key: str = event.value
    if key == "<<" and event.implicit[0]:
        raise BadText(_mark(event), "merge keys (<<) are not part of YAML 1.2; repeat the fields")
    return key


def _scalar(event: Any) -> JSON:
    text: str = event.value
    if event.tag in (None, "!", _TAG + "str"):
        plain = event.tag is None and event.implicit[0]
        return _resolved(text, event) if plain else text
    kind = event.tag.removeprefix(_TAG)
    if kind not in _TYPES:
        raise _tagged(event)
    value = _resolved(text, event)
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "bool"):
        raise BadText(_mark(event), f"the tag !!{kind} stands before {text!r}, which is none")
    return float(value) if kind == "float" and isinstance(value, int) else value


def _resolved(text: str, event: Any) -> JSON:
    if text in _WORDS:
        return _WORDS[text]
    try:
        if _INT.fullmatch(text):
            return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    except ValueError:  # Python refuses to read integers of more than 4300 digits
        raise BadText(_mark(event), f"an integer of {len(text)} digits is too large") from None
    return float(text) if _FLOAT.fullmatch(text) else text


def _tagged(event: Any) -> BadText:
    tag = event.tag.replace(_TAG, "!!")
    kinds = listed(f"!!{kind}" for kind in ("str", *_TYPES))
    return BadText(_mark(event), f"the tag {tag} is not known; leave it out, or use {kinds}")


def _mark(event: Any) -> Mark:
    return Mark(event.start_mark.line + 1, event.start_mark.column + 1)


def _bad(error: yaml.MarkedYAMLError, text: str) -> BadText:
    at = error.problem_mark or error.context_mark
    mark = Mark(at.line + 1, at.column + 1) if at else Mark(1, 1)
    said = ", ".join(part for part in (error.context, error.problem) if part)
    here = text.splitlines()[at.line : at.line + 1] if at else []
    sign = here[0][at.column : at.column + 1] if here and at else ""
    return BadText(mark, f"this is not YAML: {said}{_mend(said, sign)}")


def _mend(said: str, sign: str) -> str:
    if sign == "\t":
        return "; indent with spaces, not with a tab"
    if "cannot start any token" in said:
        return f"; quote a text that starts with {sign}"
    if "mapping values are not allowed" in said:
        return "; quote a text that has a colon, or mend the indentation"
    return ""
