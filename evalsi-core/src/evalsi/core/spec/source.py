"""A spec as it was given: a file, a text or a mapping; knows where each value stands in it."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from evalsi.core.errors import SpecError
from evalsi.core.results import JSON
from evalsi.core.spec.issues import Issue, Mark, Path, dotted
from evalsi.core.spec.located import located
from evalsi.core.spec.parsed import MAX_DEPTH, MAX_VALUES, BadText, Parsed

__all__ = ["Given", "Source", "read"]

Given: TypeAlias = "str | os.PathLike[str] | Mapping[str, object]"
"""A path; or a text (it has a line break or starts with a brace); or a mapping."""

_MAX_BYTES: Final = 1024 * 1024
_MAX_INT_BITS: Final = 1024
_BREAK: Final = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_FOREIGN: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Source:
    """A spec's data and text.

    Attributes:
        path: the file, or None.
        data: the whole document as plain data.
        issues: what the reader already found wrong.
        bare: whether only the body of a spec was given, so that messages leave out `spec`.
        options: values that a command's option put there, not the text; by path, the option.
    """

    path: pathlib.Path | None
    data: JSON
    issues: tuple[Issue, ...] = ()
    bare: bool = False
    options: Mapping[Path, str] = field(default_factory=dict)
    _lines: Sequence[str] | None = None
    _values: Mapping[Path, Mark] = field(default_factory=dict)
    _keys: Mapping[Path, Mark] = field(default_factory=dict)

    @property
    def folder(self) -> pathlib.Path:
        """Where relative paths start: beside the file, else the working folder."""
        return self.path.parent if self.path else pathlib.Path()

    @property
    def is_text(self) -> bool:
        """Whether there are lines to point at."""
        return self._lines is not None

    def mark(self, path: Path, *, at_key: bool = False) -> Mark | None:
        """Where a value stands, or the nearest thing around it; None for a mapping or an option."""
        if self._option(path) is not None:
            return None
        if at_key and path in self._keys:
            return self._keys[path]
        while path and path not in self._values:
            path = path[:-1]
        return self._values.get(path)

    def refused(self, issues: Iterable[Issue]) -> SpecError:
        """The error that reports these issues, in the order of the text."""
        ordered = sorted(issues, key=self._place)
        error = SpecError(list(dict.fromkeys(self._render(issue) for issue in ordered)))
        error.__cause__ = next((issue.cause for issue in ordered if issue.cause), None)
        return error

    def _place(self, issue: Issue) -> tuple[int, int]:
        mark = self.mark(issue.path, at_key=issue.at_key)
        return (mark.line, mark.column) if mark else (0, 0)

    def _render(self, issue: Issue) -> str:
        path = issue.path[1:] if self.bare else issue.path
        where = dotted(path)
        space = "" if issue.message.startswith(":") else " "
        told = issue.message.removeprefix(": ") if not where else f"{where}{space}{issue.message}"
        text = f"the spec {told}" if not where and space else told
        option = self._option(issue.path)
        if option is not None:
            return f"{option}: {text}"
        mark = self.mark(issue.path, at_key=issue.at_key)
        if mark is None or self._lines is None:
            return text
        return located(self.path, self._lines, mark, text)

    def _option(self, path: Path) -> str | None:
        """The option that put a value there, or something around it."""
        ends = range(len(path), 0, -1) if self.options else ()
        return next((self.options[path[:end]] for end in ends if path[:end] in self.options), None)


def read(given: Given) -> Source:
    """Reads a spec, without looking at what it says.

    Raises:
        SpecError: there is no such file, or it is not UTF-8, larger than 1 MiB, or neither YAML
            nor JSON; or the mapping holds what is not plain data.
    """
    if isinstance(given, Mapping):
        return Source(None, _plain_or_refused(Source(None, None), given))
    if isinstance(given, str) and ("\n" in given or given.lstrip().startswith("{")):
        return _parsed(None, given)
    path = pathlib.Path(given)
    return _parsed(path, _text(path))


def _text(path: pathlib.Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except IsADirectoryError as error:
        raise SpecError(f"{path}: this is a folder; give the spec's file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SpecError(f"{path}: the spec cannot be read: {reason}") from error
    if len(content) > _MAX_BYTES:
        raise SpecError(f"{path}: the spec is larger than 1 MiB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SpecError(f"{path}:{line}: the spec is not UTF-8; save it as UTF-8") from error


def _parsed(path: pathlib.Path | None, text: str) -> Source:
    # Imported here: a spec that is a mapping needs neither YAML nor JSON.
    from evalsi.core.spec.json_text import read_json
    from evalsi.core.spec.yaml12 import read_yaml

    if len(text) > _MAX_BYTES:
        raise SpecError("the spec is larger than 1 MiB")
    text = text.removeprefix("\ufeff")
    lines = _BREAK.split(text)
    try:
        _require_text(text)
        is_json = text.lstrip().startswith(("{", "["))
        parsed = (read_json(text) if is_json else None) or read_yaml(text)
    except BadText as error:
        raise SpecError(located(path, lines, error.mark, str(error))) from error.__cause__
    return _checked(path, parsed, lines)


def _checked(path: pathlib.Path | None, parsed: Parsed, lines: Sequence[str]) -> Source:
    source = Source(path, None, _lines=lines, _values=parsed.values, _keys=parsed.keys)
    data = _plain_or_refused(source, parsed.data)
    return replace(source, data=data, issues=tuple(parsed.issues))


def _require_text(text: str) -> None:
    foreign = _FOREIGN.search(text)
    if foreign:
        before = _BREAK.split(text[: foreign.start()])
        raise BadText(
            Mark(len(before), len(before[-1]) + 1),
            f"the control character U+{ord(foreign.group()):04X} stands here; "
            f'write it as an escape in a quoted text ("\\x{ord(foreign.group()):02x}")',
        )


def _plain_or_refused(source: Source, data: object) -> JSON:
    issues: list[Issue] = []
    plain = _Plain(issues).of(data, ())
    if issues:
        raise source.refused(issues)
    return plain


class _Plain:
    """Copies plain data, and notes what is not plain."""

    def __init__(self, issues: list[Issue]) -> None:
        self._issues = issues
        self._left = MAX_VALUES

    def of(self, value: object, path: Path) -> JSON:
        self._left -= 1
        if len(path) > MAX_DEPTH or self._left < 0:
            self._refuse(path, ": the values here nest too deep, or are too many")
            return None
        if isinstance(value, Mapping):
            return {self._key(key, path): self.of(v, (*path, str(key))) for key, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(item, (*path, place)) for place, item in enumerate(value)]
        return self._scalar(value, path)

    def _key(self, key: object, path: Path) -> str:
        if not isinstance(key, str):
            self._refuse(path, f"has the key {key!r}; a key is text")
        return str(self._scalar(str(key), path))

    def _scalar(self, value: object, path: Path) -> JSON:
        if isinstance(value, str) and _SURROGATE.search(value):
            self._refuse(path, "holds half of a surrogate pair, which is no character")
        elif isinstance(value, int) and value.bit_length() > _MAX_INT_BITS:
            self._refuse(path, f"is an integer of {value.bit_length()} bits; too large")
        elif value is None or isinstance(value, bool | int | float | str):
            return value
        else:
            self._refuse(path, f"is {type(value).__name__}; a spec holds plain data")
        return None

    def _refuse(self, path: Path, message: str) -> None:
        if self._left >= 0 or not self._issues:
            self._issues.append(Issue(path, message))
