"""Plain data as JSON forms: what it is, how it is written.

None, bool, float, str and small int are themselves; everything else is a list that begins with a
tag. Mutable containers are numbered in the order of their first occurrence, and a second
occurrence is a reference, so that sharing and cycles survive. The numbering may begin with
containers that the other side knows already: that is how arguments come back as themselves.
"""

from __future__ import annotations

import binascii
import datetime
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

DEEPEST = 300
MOST_NODES = 4_000_000
LARGE = 1 << 63
FREE = frozenset({type(None), bool, float, str})
SCALARS = FREE | {int}
FACTORIES = {kind.__name__: kind for kind in (int, float, str, list, dict, set, tuple, bool)}
NAMES = {factory: name for name, factory in FACTORIES.items()}


class TooLarge(ValueError):  # noqa: N818 - an event
    """Data is too deep or has too many parts."""


class Writer:
    """Writes values as forms.

    Args:
        foreign: gives the form of what is no plain data.
        known: mutable containers that the other side has already, numbered from 0.
    """

    def __init__(self, foreign: Callable[[Any], list[Any]], known: Sequence[Any] = ()) -> None:
        self._foreign = foreign
        self.kept = list(known)
        self._numbers = {id(item): number for number, item in enumerate(self.kept)}
        self._nodes = 0

    def form(self, value: Any, depth: int = 0) -> Any:
        """The form of a value."""
        kind = type(value)
        if kind in FREE:
            return value
        if kind is int:
            return value if -LARGE < value < LARGE else ["i", format(value, "x")]
        if depth > DEEPEST:
            raise TooLarge("data nests too deep")
        if kind in MUTABLE:
            number = self._numbers.get(id(value))
            if number is not None:
                return ["r", number]
            self._numbers[id(value)] = len(self.kept)
            self.kept.append(value)
            return self.contents(value, depth)
        write = WRITERS.get(kind)
        return self._foreign(value) if write is None else write(self, value, depth + 1)

    def contents(self, value: Any, depth: int = 0) -> list[Any]:
        """The form of a mutable container even where it is known: what it holds now."""
        tag, parts = MUTABLE[type(value)]
        return [tag, *self.forms(parts(value), depth + 1)]

    def forms(self, values: Iterable[Any], depth: int) -> list[Any]:
        """The forms of several values."""
        items = list(values)
        self._nodes += len(items)
        if self._nodes > MOST_NODES:
            raise TooLarge("data has too many parts")
        kinds = set(map(type, items))
        if kinds <= FREE:
            return items
        if kinds <= SCALARS and all(type(v) is not int or -LARGE < v < LARGE for v in items):
            return items
        return [self.form(item, depth) for item in items]


def _pairs(value: Any) -> list[Any]:
    return [part for pair in value.items() for part in pair]


def _base64(value: bytes | bytearray) -> str:
    return binascii.b2a_base64(value, newline=False).decode("ascii")


MUTABLE: dict[type, tuple[str, Callable[[Any], Iterable[Any]]]] = {
    list: ("l", list),
    dict: ("d", _pairs),
    set: ("s", list),
    bytearray: ("B", lambda value: [_base64(value)]),
    deque: ("q", lambda value: [value.maxlen, *value]),
    Counter: ("C", _pairs),
    OrderedDict: ("O", _pairs),
    defaultdict: ("D", lambda value: [NAMES.get(value.default_factory), *_pairs(value)]),
}
WRITERS: dict[type, Callable[[Writer, Any, int], list[Any]]] = {
    tuple: lambda w, v, depth: ["t", *w.forms(v, depth)],
    frozenset: lambda w, v, depth: ["f", *w.forms(v, depth)],
    bytes: lambda _w, v, _depth: ["b", _base64(v)],
    complex: lambda _w, v, _depth: ["c", v.real, v.imag],
    range: lambda w, v, depth: ["g", *w.forms((v.start, v.stop, v.step), depth)],
    slice: lambda w, v, depth: ["S", *w.forms((v.start, v.stop, v.step), depth)],
    Fraction: lambda w, v, depth: ["F", *w.forms((v.numerator, v.denominator), depth)],
    Decimal: lambda _w, v, _depth: ["N", str(v)],
    datetime.date: lambda _w, v, _depth: ["td", v.isoformat()],
    datetime.time: lambda _w, v, _depth: ["tt", v.isoformat()],
    datetime.datetime: lambda _w, v, _depth: ["tm", v.isoformat()],
    datetime.timedelta: lambda _w, v, _depth: ["te", v.days, v.seconds, v.microseconds],
    datetime.timezone: lambda w, v, depth: ["tz", *w.forms((v.utcoffset(None),), depth)],
    type(...): lambda _w, _v, _depth: ["e", "..."],
    type(NotImplemented): lambda _w, _v, _depth: ["e", "NotImplemented"],
    type({}.keys()): lambda w, v, depth: ["vk", *w.forms(v, depth)],
    type({}.values()): lambda w, v, depth: ["vv", *w.forms(v, depth)],
    type({}.items()): lambda w, v, depth: ["vi", *w.forms((p for i in v for p in i), depth)],
}
