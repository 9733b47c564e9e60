"""Loads a spec of any kind: the envelope, the body, and every issue at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, Final, Generic, Literal, TypeVar

from pydantic import Field, ValidationError

from evalsi.core.errors import SpecError
from evalsi.core.results import JSON
from evalsi.core.spec.bound import Ref
from evalsi.core.spec.issues import Issue, Mark, Path, did_you_mean, shown
from evalsi.core.spec.model import Body, Name, SpecModel
from evalsi.core.spec.source import Given, Source, read
from evalsi.core.spec.validation import issues_of

__all__ = ["API_VERSION", "Document", "Metadata", "enveloped", "examine", "json_schema", "load"]

API_VERSION: Final = "evals.si/v1alpha1"

_ENVELOPE: Final = frozenset({"apiVersion", "kind", "metadata", "spec"})

B = TypeVar("B", bound=Body)


class Metadata(SpecModel):
    """What a document is called, and what people note about it."""

    name: Name
    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)
    description: str = ""


class Envelope(SpecModel, Generic[B]):
    """What every document has, whatever its kind."""

    api_version: Literal["evals.si/v1alpha1"]
    kind: str
    metadata: Metadata
    spec: B = Field()


@dataclass(frozen=True, slots=True, eq=False)
class Document(Generic[B]):
    """A spec that is valid in itself; its refs are not looked up yet.

    Attributes:
        kind: the name of its kind.
        metadata: name, labels, annotations, description.
        spec: the body.
    """

    kind: str
    metadata: Metadata
    spec: B
    _source: Source = field(repr=False)

    @property
    def name(self) -> str:
        """What the spec is called."""
        return self.metadata.name

    @property
    def source(self) -> str | None:
        """The file that it was loaded from, if any."""
        return str(self._source.path) if self._source.path else None

    @property
    def folder(self) -> FilePath:
        """Where its relative paths start: beside its file, else the working folder."""
        return self._source.folder

    @property
    def fingerprint(self) -> str:
        """SHA-256 of its dict form: equal for equal specs, however they are written."""
        text = json.dumps(self.as_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """Plain data that loads to an equal spec; what has its default is left out."""
        dumped = {"mode": "json", "by_alias": True, "exclude_defaults": True}
        return {
            "apiVersion": API_VERSION,
            "kind": self.kind,
            "metadata": self.metadata.model_dump(**dumped),  # type: ignore[arg-type]
            "spec": self.spec.model_dump(**dumped),  # type: ignore[arg-type]
        }

    def refused(self, issues: Iterable[Issue]) -> SpecError:
        """The error that reports issues which only showed later, with their places."""
        return self._source.refused(issues)

    def mark(self, path: Path) -> Mark | None:
        """Where a value, or the nearest thing around it, stands; None without a text."""
        return self._source.mark(path)


def load(source: Given, kind: type[B]) -> Document[B]:
    """Loads a spec.

    Args:
        source: a path; or a text, which has a line break or starts with a brace; or a mapping,
            with the envelope or as the bare body (`name` then names it).
        kind: the body's model; its class name is the document's `kind`.

    Raises:
        SpecError: the spec is not valid; it names every issue with its place.
    """
    opened = enveloped(read(source), kind)
    document, _, issues = examine(opened, kind)
    if document is None or issues:
        raise opened.refused(issues)
    return document


def examine(source: Source, kind: type[B]) -> tuple[Document[B] | None, list[Ref], list[Issue]]:
    """The document, or None; the refs that can be looked up; and the issues so far."""
    data = source.data
    issues = list(source.issues)
    if not isinstance(data, Mapping):
        return None, [], [Issue((), f": the spec is {shown(data)}; it must be a mapping")]
    if not _ENVELOPE & data.keys():
        return None, [], [Issue((), f": this is no {kind.__name__}; {_needed(kind)}"), *issues]
    if data.get("kind", kind.__name__) != kind.__name__:
        return None, [], [_wrong_kind(data["kind"], kind)]
    try:
        valid = Envelope[kind].model_validate_json(json.dumps(data))  # type: ignore[valid-type]
    except ValidationError as error:
        issues += issues_of(error, data, Envelope[kind])  # type: ignore[valid-type]
        refs, further = kind.salvage(data.get("spec"))
        return None, refs, [*issues, *further]
    body: B = valid.spec
    return Document(valid.kind, valid.metadata, body, source), body.refs(), issues


def enveloped(given: Source, kind: type[Body]) -> Source:
    """The source with an envelope around its body; only a mapping may come without one."""
    data = given.data
    if given.is_text or not isinstance(data, Mapping) or _ENVELOPE & data.keys():
        return given
    metadata = {"name": data.get("name", kind.default_name)}
    body = {key: value for key, value in data.items() if key != "name"}
    whole: dict[str, JSON] = {
        "apiVersion": API_VERSION,
        "kind": kind.__name__,
        "metadata": metadata,
        "spec": body,
    }
    return Source(None, whole, bare=True)


def json_schema(kind: type[Body]) -> dict[str, Any]:
    """The JSON Schema of a kind's documents, for editors."""
    schema = Envelope[kind].model_json_schema(by_alias=True)  # type: ignore[valid-type]
    schema["title"] = kind.__name__
    schema["properties"]["kind"] = {"const": kind.__name__, "title": "Kind", "type": "string"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _needed(kind: type[Body]) -> str:
    return (
        f"it needs `apiVersion: {API_VERSION}`, `kind: {kind.__name__}`, `metadata` with a `name`, "
        f"and `spec`"
    )


def _wrong_kind(found: JSON, kind: type[Body]) -> Issue:
    hint = did_you_mean(found, [kind.__name__])
    message = f"is {shown(found)}; a {kind.__name__} is needed here{hint and ';' + hint}"
    return Issue(("kind",), message)
