"""Fixtures of pytest: a script's own, and a few that pytest brings."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import itertools
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_UNSET = object()


class Fixture:
    """A function that makes a value for tests."""

    def __init__(
        self, function: Callable[..., Any], name: str, *, always: bool, params: Any
    ) -> None:
        self.function = function
        self.name = name or function.__name__
        self.always = always
        self.params = None if params is None else list(params)

    def wanted(self) -> list[str]:
        """The names of the fixtures that it needs."""
        return [name for name in inspect.signature(self.function).parameters if name != "self"]


def fixture(
    function: Any = None, *, name: str = "", autouse: bool = False, params: Any = None,
    **_kwargs: Any,
) -> Any:  # fmt: skip
    """Marks a function as a fixture."""

    def made(function: Callable[..., Any]) -> Fixture:
        return Fixture(function, name, always=autouse, params=params)

    return made if function is None else made(function)


class Fixtures:
    """The fixtures of a script, or of one of its classes, and a few of pytest's own.

    Args:
        values: among which the fixtures are.
        thing: the object whose methods they are, or None.
    """

    def __init__(self, values: Iterable[Any], thing: Any = None) -> None:
        self._own = {value.name: (value, thing) for value in values if type(value) is Fixture}
        self._made: dict[str, Any] = {}
        self._chosen: dict[str, Any] = {}

    def of(self, thing: Any) -> Fixtures:
        """These and those of an object's class."""
        more = Fixtures((getattr(type(thing), name) for name in dir(type(thing))), thing)
        more._own = {**self._own, **more._own}
        return more

    @property
    def always(self) -> list[str]:
        """The names of those that every test has."""
        return [name for name, (value, _) in self._own.items() if value.always]

    def rounds(self, names: Iterable[str]) -> Iterator[Fixtures]:
        """These once for each set of their parameters, where tests need some of the names."""
        found = ((name, self._own[name][0].params) for name in self._closure(names))
        varied = {name: params for name, params in found if params is not None}
        for values in itertools.product(*varied.values()):
            each = Fixtures(())
            each._own, each._chosen = self._own, dict(zip(varied, values, strict=True))
            yield each

    def value(self, name: str, stack: contextlib.ExitStack) -> Any:
        """The value of a fixture, made once; what it has to undo is left on the stack."""
        if name not in self._made:
            self._made[name] = self._new(name, stack)
        return self._made[name]

    def _new(self, name: str, stack: contextlib.ExitStack) -> Any:
        if name not in self._own:
            return stack.enter_context(BUILT_IN[name]())
        held, thing = self._own[name]
        function = held.function if thing is None else held.function.__get__(thing)
        request = SimpleNamespace(param=self._chosen.get(name), addfinalizer=stack.callback)
        made = function(
            **{
                each: request if each == "request" else self.value(each, stack)
                for each in held.wanted()
            }
        )
        if inspect.isgenerator(made):
            stack.callback(next, made, None)
            return next(made)
        return made

    def _closure(self, names: Iterable[str]) -> list[str]:
        found: dict[str, None] = {}
        waiting = [name for name in names if name in self._own]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = None
                waiting += [each for each in self._own[name][0].wanted() if each in self._own]
        return list(found)


class MonkeyPatch:
    """Sets things and puts them back."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], Any]] = []

    def setattr(self, target: Any, name: Any, value: Any = _UNSET, raising: bool = True) -> None:
        """Sets an attribute; the target may be a dotted name."""
        if value is _UNSET:
            path, _, attribute = target.rpartition(".")
            target, name, value = importlib.import_module(path), attribute, name
        old = getattr(target, name) if raising else getattr(target, name, None)
        self._undo.append(lambda: setattr(target, name, old))
        setattr(target, name, value)

    def delattr(self, target: Any, name: str, raising: bool = True) -> None:
        """Removes an attribute."""
        if raising or hasattr(target, name):
            old = getattr(target, name)
            self._undo.append(lambda: setattr(target, name, old))
            delattr(target, name)

    def setitem(self, mapping: Any, key: Any, value: Any) -> None:
        """Sets an item of a mapping."""
        self._restored(mapping, key)
        mapping[key] = value

    def delitem(self, mapping: Any, key: Any, raising: bool = True) -> None:
        """Removes an item of a mapping."""
        if raising or key in mapping:
            self._restored(mapping, key)
            del mapping[key]

    def setenv(self, name: str, value: Any, prepend: Any = None) -> None:
        """Sets a variable of the environment."""
        old = os.environ.get(name) if prepend else None
        self.setitem(os.environ, name, str(value) if old is None else f"{value}{prepend}{old}")

    def delenv(self, name: str, raising: bool = True) -> None:
        """Removes a variable of the environment."""
        self.delitem(os.environ, name, raising)

    def undo(self) -> None:
        """Puts everything back."""
        while self._undo:
            self._undo.pop()()

    @contextlib.contextmanager
    def context(self) -> Iterator[MonkeyPatch]:
        """Sets things in a block only."""
        with _monkeypatch() as patch:
            yield patch

    def _restored(self, mapping: Any, key: Any) -> None:
        if key in mapping:
            old = mapping[key]
            self._undo.append(lambda: mapping.__setitem__(key, old))
        else:
            self._undo.append(lambda: mapping.pop(key, None))


@contextlib.contextmanager
def _monkeypatch() -> Iterator[MonkeyPatch]:
    patch = MonkeyPatch()
    try:
        yield patch
    finally:
        patch.undo()


class Texts(tuple[str, str]):
    """What `capsys` gives: the printed text, and that of the errors."""

    __slots__ = ()

    out = property(lambda self: self[0])
    err = property(lambda self: self[1])


class Captured:
    """What was printed since the last look."""

    def __init__(self) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()

    def readouterr(self) -> Any:
        """The printed text, and that of the errors."""
        texts = Texts((self.out.getvalue(), self.err.getvalue()))
        for stream in (self.out, self.err):
            stream.seek(0)
            stream.truncate()
        return texts


@contextlib.contextmanager
def _capsys() -> Iterator[Captured]:
    captured = Captured()
    with contextlib.redirect_stdout(captured.out), contextlib.redirect_stderr(captured.err):
        yield captured


BUILT_IN: dict[str, Callable[[], Any]] = {
    "capsys": _capsys,
    "monkeypatch": _monkeypatch,
}
