"""What the test passes to the candidate that is no plain data, and what may be done with it there.

Functions can be called, iterators advanced; of objects the public attributes and the operators can
be used. Nothing else of the tester can be reached: no private name, no module, no frame.
"""

from __future__ import annotations

import functools
import io
import re
import sys
import types
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import arrays, known
from evalsi_pack_rl.code_exec.asserts.guest.kinds import OBJECT
from evalsi_pack_rl.code_exec.asserts.guest.plain import WRITERS, Writer
from evalsi_pack_rl.code_exec.asserts.guest.remote import Home, Remote, home_of, state_of
from evalsi_pack_rl.code_exec.asserts.guest.unittests import is_mock, is_of_cases, of_mocks
from evalsi_pack_rl.code_exec.asserts.guest.visitors import OPERATORS
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed

if TYPE_CHECKING:
    from collections.abc import Sequence

TEST = "__main__"
BASES = (int, float, str, bytes, complex, tuple, frozenset, list, dict, set, bytearray)
CO_VARARGS, CO_VARKEYWORDS = 4, 8
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)


class NotPassable(BaseException):
    """The test passes something that cannot leave its process; the data has to say what then."""


class Exports:
    """Objects of the test by the number under which the candidate knows them."""

    def __init__(self, asserting: Sequence[str] = ()) -> None:
        self._asserting = frozenset(asserting)
        self.collected: frozenset[str] = frozenset()
        self._told: dict[int, Any] = {}
        self._waiting: dict[int, str] = {}
        self._objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._adopted: dict[int, tuple[Any, int]] = {}
        self._errors: list[BaseException] = []

    def adopt(self, value: Any, handle: int) -> None:
        """Remembers what the tester made for an object of the candidate, to send it home as it."""
        self._adopted[id(value)] = (value, handle)

    def object(self, number: Any) -> Any:
        """An object that was passed, come home; raises `Malformed`."""
        if type(number) is not int or not 0 <= number < len(self._objects):
            raise Malformed("an object that was never passed")
        return self._objects[number]

    def home(self, number: Any) -> Any:
        """What the test gets back of it: a function that has to come to its end tells when."""
        value = self.object(number)
        if number not in self._waiting or number in self._told:
            return self._told.get(number, value)

        @functools.wraps(value)
        def call(*args: Any, **kwargs: Any) -> Any:
            return self._ended(number, value(*args, **kwargs))

        self._told[number] = call
        self._numbers[id(call)] = number
        return call

    def _ended(self, number: int, result: Any) -> Any:
        if not isinstance(result, types.CoroutineType):
            self._waiting.pop(number, None)
        return result

    def form(self, value: Any) -> list[Any]:
        """The form of what is no plain data."""
        kind = type(value)
        if kind is Home:
            return ["o", value.number]
        if issubclass(kind, Remote):
            return ["o", home_of(value)]
        adopted = self._adopted.get(id(value))
        if adopted is not None:
            return ["o", adopted[1]]
        return self._standard(value) or self._passed(value)

    def _standard(self, value: Any) -> list[Any] | None:  # noqa: PLR0911 - one return a kind
        """The form of what the candidate can make or find by itself."""
        kind = type(value)
        shared = ["y", "object"] if value is OBJECT else known.name_of(value)
        if shared is not None:
            return shared
        if kind is types.ModuleType and value.__name__ in sys.stdlib_module_names:
            return ["M", value.__name__]
        if kind is re.Pattern and isinstance(value.pattern, str):
            return ["R", value.pattern, value.flags]
        if isinstance(value, BaseException):
            return ["E", kind.__name__, Writer(self.form).form(value.args)]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return ["u", kind.__name__, list(value._fields), *Writer(self.form).forms(value, 0)]
        if isinstance(value, (type, *FUNCTIONS)) and _is_standard(value):
            return ["k", value.__module__, value.__qualname__]
        if arrays.is_array(value):
            return arrays.form(value, Writer(self.form).form)  # type: ignore[no-any-return]
        if isinstance(value, BASES):
            base = next(base for base in (*WRITERS, *BASES) if isinstance(value, base))
            return Writer(self.form).form(base(value))  # type: ignore[no-any-return]
        return None

    def _passed(self, value: Any) -> list[Any]:
        kind = type(value)
        if isinstance(value, types.CoroutineType | types.ModuleType | types.FrameType):
            raise NotPassable(f"the test passes {_a(kind)} to the program")
        if _is_object(value) and (is_mock(value) or not callable(value)):
            return ["ob", self._number(value), kind.__name__]
        if callable(value):
            name = getattr(value, "__name__", kind.__name__)
            name = name if type(name) is str else "function"
            shape = self._shape(value) if kind is types.FunctionType else None
            return ["fn", self._number(value), name, shape]
        if hasattr(kind, "__next__"):
            return ["it", self._number(value)]
        if hasattr(kind, "__iter__") and kind.__module__ in ("array", "collections", "itertools"):
            return ["it", self._number(iter(value))]
        raise NotPassable(f"the test passes {_a(kind)} to the program")

    def _shape(self, function: types.FunctionType) -> list[Any]:
        """What a program may see of a function: its parameters, and what it says of itself."""
        code, defaults = function.__code__, function.__defaults__ or ()
        names = code.co_varnames
        count, only = code.co_argcount, code.co_kwonlyargcount
        rest = names[count + only :]
        star = [rest[0]] if code.co_flags & CO_VARARGS else []
        stars = [rest[len(star)]] if code.co_flags & CO_VARKEYWORDS else []
        optional = [*names[count - len(defaults) : count], *(function.__kwdefaults__ or ())]
        kinds = {
            name: known.name_of(kind)
            for name, kind in function.__annotations__.items()
            if known.name_of(kind)
        }
        own = function.__name__ in self._asserting
        return [
            list(names[: code.co_posonlyargcount]),
            list(names[code.co_posonlyargcount : count]),
            star,
            list(names[count : count + only]),
            stars,
            optional,
            None if own else function.__doc__,
            [[name, kind[1]] for name, kind in kinds.items() if kind is not None],
        ]

    def _number(self, value: Any) -> int:
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._objects)
            self._objects.append(value)
            inner = value.func if type(value) is functools.partial else value
            name = getattr(inner, "__name__", None)
            if type(inner) in FUNCTIONS and name in self._asserting:
                self._waiting[number] = name
        return number

    def unfinished(self) -> list[str]:
        """Functions with asserts in them that the program got and that never came to their end."""
        return list(self._waiting.values())

    def serve(self, kind: str, number: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Does what the candidate asks of an object that was passed."""
        value = self.object(number)
        if kind == "call" and callable(value):
            self._check_given(value, args, kwargs)
            return self._ended(number, value(*args, **kwargs))
        if kind == "next" and hasattr(type(value), "__next__"):
            return next(value)
        if _is_object(value):
            return self._of_object(kind, value, args)
        raise Malformed("not what this object can do")

    def prepared(self, number: Any) -> bool:
        """Whether what comes of an object is the test's doing: of a function of its own, a mock."""
        value = self.object(number)
        return is_mock(value) or getattr(value, "__module__", "") == TEST

    def _check_given(self, value: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Refuses what the program gives a test: it would choose what is compared with what."""
        if type(value) is not types.FunctionType or value.__name__ not in self._asserting:
            return
        wrong = value.__name__ in self.collected and bool(args or kwargs)
        place = value.__qualname__.rpartition(".")[0]
        if place and not place.endswith("<locals>") and value.__code__.co_varnames[:1] == ("self",):
            wrong = not args or type(args[0]).__module__ != TEST
        if wrong:
            raise AssertionError(f"the program gives the test {value.__name__} its parameters")

    def _of_object(self, kind: str, value: Any, args: list[Any]) -> Any:
        name = args[0] if args else None
        if type(name) is not str:
            raise Malformed("no name")
        if kind == "operator" and name in OPERATORS:
            if name == "__bool__":
                return bool(value)
            if is_mock(value):
                return getattr(value, name)(*args[1:])
            operate = getattr(type(value), name, None)
            if operate is None:
                raise TypeError(f"{type(value).__name__} has no {name}")
            return operate(value, *args[1:])
        mocked = is_mock(value)
        own = is_of_cases(value, name)
        if name.startswith("_") or own or (mocked and name in of_mocks()):
            raise AttributeError(f"{name} is private to the test")
        if kind == "attr":
            return getattr(value, name)
        if kind == "setattr" and len(args) == 2:
            return self._set(value, name, args[1])
        raise Malformed("not what an object can do")

    def _set(self, value: Any, name: str, new: Any) -> None:
        mocked, theirs = is_mock(value), issubclass(type(new), Remote)
        held = [new] if mocked else [getattr(each, name, None) for each in (type(value), value)]
        if any(map(_is_tests, held)) or (mocked and callable(new)):
            raise TypeError(f"{name} is a method of the test's object, or of a mock")
        if mocked and theirs:
            state_of(new).hidden = of_mocks()
        setattr(value, name, new)

    def error(self, error: BaseException) -> list[Any]:
        """The form of an exception that a function of the test raised."""
        self._errors.append(error)
        name = next(k.__name__ for k in type(error).__mro__ if known.ERRORS.get(k.__name__) is k)
        try:
            args = Writer(self.form).form(error.args)
        except (ValueError, NotPassable):
            args = ["t", str(error)]
        return [name, args, len(self._errors) - 1]

    def raised_before(self, token: Any) -> BaseException | None:
        """The test's own exception that comes back through the program."""
        if type(token) is int and 0 <= token < len(self._errors):
            return self._errors[token]
        return None


def _is_object(value: Any) -> bool:
    """Whether the program may use attributes and operators of it."""
    kind = type(value)
    mocked = is_mock(value)
    return mocked or kind.__module__ == TEST or kind in (io.BytesIO, io.StringIO)


def _is_tests(value: Any) -> bool:
    """Whether a value is a function or a mock, and none of the program."""
    usable = callable(value) or is_mock(value)
    return usable and not issubclass(type(value), Remote)


def _is_standard(value: Any) -> bool:
    module = sys.modules.get(value.__module__ or "")
    return (
        module is not None
        and (value.__module__ or "").partition(".")[0] in sys.stdlib_module_names
        and value.__module__ != TEST
        and getattr(module, value.__qualname__, None) is value
    )


def _a(kind: type) -> str:
    return f"an object of the type {kind.__name__}"
