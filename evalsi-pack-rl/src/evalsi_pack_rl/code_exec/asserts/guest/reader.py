"""Reads the forms of plain data back, from a hand that is not trusted.

Values are built here, from built-in and standard types only. Whatever is wrong with a form is
`Malformed`.
"""

from __future__ import annotations

import binascii
import datetime
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest.plain import (
    DEEPEST,
    FACTORIES,
    MOST_NODES,
    MUTABLE,
    SCALARS,
)
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WRONG = (
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
    InvalidOperation,
)


class Reader:
    """Reads forms as values.

    Args:
        foreign: gives what a form stands for that is no plain data; raises `Malformed`.
        known: as the writer's.
    """

    def __init__(
        self, foreign: Callable[[Reader, list[Any]], Any], known: Sequence[Any] = ()
    ) -> None:
        self._foreign = foreign
        self.kept = list(known)
        self._nodes = 0
        self._depth = 0

    def value(self, form: Any) -> Any:
        """The value of a form."""
        if type(form) in SCALARS:
            return form
        if type(form) is not list or not form or type(form[0]) is not str:
            raise Malformed("a form without a tag")
        if self._depth > DEEPEST + 20:
            raise Malformed("data nests too deep")
        self._depth += 1
        try:
            return self._tagged(form)
        except _WRONG as error:
            raise Malformed(f"a form that stands for nothing: {type(error).__name__}") from None
        finally:
            self._depth -= 1

    def _tagged(self, form: list[Any]) -> Any:
        tag = form[0]
        if tag in EMPTY:
            made = EMPTY[tag](form)
            self.kept.append(made)
            self._fill(made, form)
            return made
        if tag == "r":
            number = form[1]
            if type(number) is not int or number < 0:
                raise Malformed("a reference to nothing")
            return self.kept[number]
        read = READERS.get(tag)
        return self._foreign(self, form) if read is None else read(self, form)

    def values(self, forms: list[Any]) -> list[Any]:
        """The values of several forms."""
        self._nodes += len(forms)
        if self._nodes > MOST_NODES:
            raise Malformed("data has too many parts")
        if set(map(type, forms)) <= SCALARS:
            return forms
        return [self.value(form) for form in forms]

    def refill(self, known: Any, form: Any) -> None:
        """Makes a known container hold what a form says; the kind must be the same."""
        if type(form) is not list or not form or MUTABLE[type(known)][0] != form[0]:
            raise Malformed("contents of another kind of container")
        try:
            parts = self._contents(form)
            known.clear()
            _put(known, parts)
        except _WRONG as error:
            raise Malformed(f"contents that cannot be: {type(error).__name__}") from None

    def _fill(self, made: Any, form: list[Any]) -> None:
        _put(made, self._contents(form))

    def _contents(self, form: list[Any]) -> list[Any]:
        if form[0] == "B":
            return list(binascii.a2b_base64(form[1]))
        return self.values(form[2:] if form[0] in "qD" else form[1:])


def _put(made: Any, parts: list[Any]) -> None:
    if isinstance(made, list | deque | bytearray):
        made.extend(parts)
    elif isinstance(made, set):
        made.update(parts)
    else:
        items = iter(parts)
        for key, value in zip(items, items, strict=True):
            made[key] = value


def _dict_of(reader: Reader, form: list[Any]) -> dict[Any, Any]:
    parts = iter(reader.values(form[1:]))
    return dict(zip(parts, parts, strict=True))


def _slice(reader: Reader, form: list[Any]) -> slice:
    start, stop, step = reader.values(form[1:])
    return slice(start, stop, step)


EMPTY: dict[str, Callable[[list[Any]], Any]] = {
    "l": lambda _form: [],
    "d": lambda _form: {},
    "s": lambda _form: set(),
    "B": lambda _form: bytearray(),
    "q": lambda form: deque(maxlen=form[1]),
    "C": lambda _form: Counter(),
    "O": lambda _form: OrderedDict(),
    "D": lambda form: defaultdict(FACTORIES[form[1]] if form[1] is not None else None),
}
READERS: dict[str, Callable[[Reader, list[Any]], Any]] = {
    "i": lambda _r, form: int(form[1], 16),
    "t": lambda r, form: tuple(r.values(form[1:])),
    "f": lambda r, form: frozenset(r.values(form[1:])),
    "b": lambda _r, form: binascii.a2b_base64(form[1]),
    "c": lambda _r, form: complex(form[1], form[2]),
    "g": lambda r, form: range(*r.values(form[1:])),
    "S": _slice,
    "F": lambda r, form: Fraction(*r.values(form[1:])),
    "N": lambda _r, form: Decimal(form[1]),
    "td": lambda _r, form: datetime.date.fromisoformat(form[1]),
    "tt": lambda _r, form: datetime.time.fromisoformat(form[1]),
    "tm": lambda _r, form: datetime.datetime.fromisoformat(form[1]),
    "te": lambda _r, form: datetime.timedelta(form[1], form[2], form[3]),
    "tz": lambda r, form: datetime.timezone(r.value(form[1])),
    "e": lambda _r, form: {"...": ..., "NotImplemented": NotImplemented}[form[1]],
    "vk": lambda r, form: dict.fromkeys(r.values(form[1:])).keys(),
    "vv": lambda r, form: dict(enumerate(r.values(form[1:]))).values(),
    "vi": lambda r, form: _dict_of(r, form).items(),
}
