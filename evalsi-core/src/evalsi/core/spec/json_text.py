"""Reads JSON with the place of every key and value.

YAML readers choke on what JSON allows (tabs between values, surrogate pairs in escapes), so a
text that is JSON is read as JSON.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Final, NoReturn

from evalsi.core.results import JSON
from evalsi.core.spec.issues import Mark, Path
from evalsi.core.spec.parsed import MAX_DEPTH, BadText, Parsed, twice

__all__ = ["read_json"]

_SPACE: Final = re.compile(r"[ \t\r\n]*")


def read_json(text: str) -> Parsed | None:
    """The data of a JSON text; None when the text is not JSON.

    Raises:
        BadText: it nests too deep.
    """
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return _Walk(text).document()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


class _Walk:
    # The text is known to be JSON here: the walk only has to follow it.

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._scalar = json.JSONDecoder().raw_decode
        self._lines = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
        self._parsed = Parsed(None)

    def document(self) -> Parsed:
        self._skip()
        self._parsed.data = self._value(())
        return self._parsed

    def _value(self, path: Path) -> JSON:
        self._parsed.values[path] = self._mark()
        if len(path) > MAX_DEPTH:
            raise BadText(self._mark(), f"values nest more than {MAX_DEPTH} deep")
        if self._text[self._at] == "{":
            return self._object(path)
        if self._text[self._at] == "[":
            return self._array(path)
        value: JSON
        value, self._at = self._scalar(self._text, self._at)
        self._skip()
        return value

    def _object(self, path: Path) -> dict[str, JSON]:
        mapping: dict[str, JSON] = {}
        while self._more("}"):
            mark = self._mark()
            key, self._at = self._scalar(self._text, self._at)
            self._skip()
            self._step()
            at = (*path, key)
            if key in mapping:
                self._parsed.issues.append(twice(at, mark, self._parsed.keys[at]))
                self._value((*at, "given again"))
            else:
                self._parsed.keys[at] = mark
                mapping[key] = self._value(at)
        return mapping

    def _array(self, path: Path) -> list[JSON]:
        items: list[JSON] = []
        while self._more("]"):
            items.append(self._value((*path, len(items))))
        return items

    def _more(self, end: str) -> bool:
        if self._text[self._at] != end:
            self._step()  # over the opening bracket, or a comma
        if self._text[self._at] != end:
            return True
        self._step()
        return False

    def _step(self) -> None:
        self._at += 1
        self._skip()

    def _skip(self) -> None:
        space = _SPACE.match(self._text, self._at)
        assert space is not None
        self._at = space.end()

    def _mark(self) -> Mark:
        line = bisect_right(self._lines, self._at)
        return Mark(line, self._at - self._lines[line - 1] + 1)
