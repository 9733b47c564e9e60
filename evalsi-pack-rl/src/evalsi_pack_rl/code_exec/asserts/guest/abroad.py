"""The candidate's objects as the tester sees them, and the tester's as the candidate sees them."""

from __future__ import annotations

import contextlib
import importlib
import types
from collections import deque, namedtuple
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import arrays, known
from evalsi_pack_rl.code_exec.asserts.guest.plain import MUTABLE, WRITERS, Writer
from evalsi_pack_rl.code_exec.asserts.guest.visitors import VisitingIterator, Visitor, visiting
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed

if TYPE_CHECKING:
    from evalsi_pack_rl.code_exec.asserts.guest.candidate import Served
    from evalsi_pack_rl.code_exec.asserts.guest.reader import Reader

IMMUTABLE = (int, float, str, bytes, complex, tuple, frozenset)
BASES = (*IMMUTABLE, list, dict, set, bytearray, deque)
ITERATORS: tuple[Any, ...] = (
    types.GeneratorType, map, filter, zip, enumerate, reversed, type(iter([])), type(iter(())),
    type(iter({})), type(iter(set())), type(iter("")), type(iter(range(0))),
)  # fmt: skip
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)


class Abroad:
    """Numbers the candidate's objects for the tester, and makes stand-ins for the tester's."""

    def __init__(self, served: Served, module: types.ModuleType) -> None:
        self._served = served
        self.objects: list[Any] = [module]
        self._numbers = {id(module): 0}
        self._homes: dict[int, int] = {}
        self._stand_ins: dict[int, Any] = {}
        self._token: dict[int, int] = {}

    def part(self) -> None:
        """Forgets what stood for things of a test that is over."""
        self._homes.clear()
        self._stand_ins.clear()
        self._token.clear()

    def handle(self, value: Any) -> int:
        """The number of an object."""
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self.objects)
            self.objects.append(value)
        return number

    def named(self, names: list[str]) -> dict[str, Any]:
        """What the program has under some names: functions and classes; data is read later."""
        space = self.objects[0].__dict__
        return {
            name: value
            for name in names
            if name in space
            and not isinstance(value := space[name], types.ModuleType)
            and (callable(value) or type(value).__module__ == self.objects[0].__name__)
        }

    def form(self, value: Any) -> list[Any]:  # noqa: PLR0911 - one return a kind
        """The form of what is no plain data."""
        home = self._homes.get(id(value))
        if home is not None:
            return ["o", home]
        shared = known.name_of(value)
        if shared is not None:
            return shared
        kind = type(value)
        if isinstance(value, type):
            if issubclass(value, BaseException):
                return self._error_class(value)
            return ["h", self.handle(value), "class", self._classes(value), None]
        if arrays.is_array(value):
            return arrays.form(value, Writer(self.form).form)  # type: ignore[no-any-return]
        own = kind.__module__ == self.objects[0].__name__
        if isinstance(value, BASES) and not own and not hasattr(value, "_fields"):
            return Writer(self.form).form(plain(value))  # type: ignore[no-any-return]
        part = None
        if isinstance(value, BASES):
            part = [Writer(self.form).form(plain(value))] if isinstance(value, IMMUTABLE) else []
        return ["h", self.handle(value), sort(value), self._classes(kind), part]

    def _classes(self, kind: type) -> list[int]:
        return [self.handle(each) for each in kind.__mro__ if each.__module__ != "builtins"]

    def _error_class(self, kind: type) -> list[Any]:
        bases = [
            known.name_of(base) or self._error_class(base)
            for base in kind.__bases__
            if issubclass(base, BaseException)
        ]
        return ["x", self.handle(kind), kind.__name__, bases]

    def plain_part(self, thing: Any) -> Any:
        """The plain data in an object whose class derives from a plain type."""
        return plain(thing)

    def raised(self, error: BaseException, *, begun: bool = True) -> list[Any]:
        """The form of an exception: its class, arguments, text, number, token, traceback."""
        from evalsi_pack_rl.code_exec.asserts.guest.candidate import failed

        kind = type(error)
        try:
            arguments = self._arguments(error)
        except (ValueError, RecursionError):
            arguments = ["t"]
        text = kind.__name__
        with contextlib.suppress(Exception):
            text = str(error)[:10_000]
        shared = known.name_of(kind) or self._error_class(kind)
        token = self._token.get(id(error))
        return [shared, arguments, text, self.handle(error), token, failed(error), begun]

    def _arguments(self, error: BaseException) -> Any:
        """The form of what makes an exception anew; a group is made of its exceptions."""
        if isinstance(error, BaseExceptionGroup):
            return ["G", str(error.message), *map(self.raised, error.exceptions)]
        args = error.args
        if isinstance(error, OSError) and error.filename is not None:
            args = (*args[:2], error.filename)
        return Writer(self.form).form(args)

    def value(self, _reader: Reader, form: list[Any]) -> Any:
        """What a form from the tester stands for."""
        tag, *rest = form
        return getattr(self, f"_{tag}")(_reader, *rest)

    def _o(self, _: Reader, number: int) -> Any:
        return self.objects[number]

    def _y(self, _: Reader, name: str) -> type:
        return known.type_of(name)

    def _k(self, _: Reader, module: str, name: str) -> Any:
        value: Any = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
        return value

    def _M(self, _: Reader, name: str) -> types.ModuleType:  # noqa: N802 - a tag
        return importlib.import_module(name)

    def _u(self, reader: Reader, name: str, fields: list[str], *forms: Any) -> Any:
        return namedtuple(name, fields)(*reader.values(list(forms)))

    def _w(self, _: Reader, text: str, at: int) -> Any:
        from evalsi_pack_rl.code_exec.asserts.guest.surroundings import text_input

        return text_input(text, at)

    def _A(self, reader: Reader, item: str, value: Any) -> Any:  # noqa: N802 - a tag
        return arrays.made(item, reader.value(value))

    def _E(self, reader: Reader, name: str, args: Any) -> BaseException:  # noqa: N802 - a tag
        kind = known.ERRORS.get(name, Exception)
        return kind(*reader.value(args))

    def _R(self, _: Reader, pattern: str, flags: int) -> Any:  # noqa: N802 - a tag
        import re

        return re.compile(pattern, flags)

    def _fn(self, _: Reader, number: int, name: str, shape: list[Any] | None) -> Any:
        return self._stand_in(number, lambda: visiting(self._served, number, name, shape))

    def _it(self, _: Reader, number: int) -> Any:
        return self._stand_in(number, lambda: VisitingIterator(self._served, number))

    def _ob(self, _: Reader, number: int, name: str) -> Any:
        # The program has the class too where the data's setup defines it.
        kind = self.objects[0].__dict__.get(name)
        known_as = kind if isinstance(kind, type) else Visitor
        return self._stand_in(number, lambda: Visitor(self._served, number, known_as))

    def _stand_in(self, number: int, make: Any) -> Any:
        if number not in self._stand_ins:
            made = self._stand_ins[number] = make()
            self._homes[id(made)] = number
        return self._stand_ins[number]

    def error_from_home(self, name: str, args: Any, token: int) -> BaseException:
        """The exception that a function of the test raised."""
        from evalsi_pack_rl.code_exec.asserts.guest.reader import Reader

        error = self._E(Reader(self.value), name, args)
        self._token[id(error)] = token
        self.handle(error)
        return error


def plain(value: Any) -> Any:
    """The plain data in an object whose class derives from a plain type."""
    bases: tuple[Any, ...] = (*MUTABLE, *WRITERS, *IMMUTABLE)
    for base in bases:
        if isinstance(value, base):
            if base in (int, float, str, complex):
                return base.__new__(base, _raw(value, base))
            if issubclass(base, dict):
                made = base.__new__(base)
                for key, item in dict.items(value):
                    base.__setitem__(made, key, item)
                return made
            return base(base.__iter__(value)) if hasattr(base, "__iter__") else base(value)
    raise Malformed(f"{type(value).__name__} holds no plain data")


def _raw(value: Any, base: type) -> Any:
    if base is str:
        return str.__str__(value)
    if base is complex:
        return complex.__complex__(value)
    return base.__int__(value) if base is int else float.__float__(value)


def sort(value: Any) -> str:
    """How the tester handles an object."""
    if isinstance(value, ITERATORS) or type(value).__module__ == "itertools":
        return "iterator"
    if isinstance(value, types.CoroutineType):
        return "coroutine"
    if isinstance(value, types.AsyncGeneratorType):
        return "async iterator"
    if isinstance(value, FUNCTIONS):
        return "function"
    return "callable" if callable(value) else "object"
