"""As much of pytest as tests of single functions use; pytest itself is not in a jail."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import math
import os
import pathlib
import re
import sys
import tempfile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_UNSET = object()


class Skipped(BaseException):
    """A test that skips itself."""


class Raises:
    """The context of `raises`."""

    def __init__(self, expected: Any, match: str | None) -> None:
        self.expected = expected
        self.match = match
        self.value: BaseException | None = None

    @property
    def type(self) -> Any:
        """The class of what was raised."""
        return type(self.value)

    def __enter__(self) -> Raises:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, _trace: Any) -> bool:
        if error is None:
            raise AssertionError(f"DID NOT RAISE {self.expected}")
        if not isinstance(error, self.expected):
            return False
        self.value = error
        if self.match is not None and not re.search(self.match, str(error)):
            raise AssertionError(f"{str(error)!r} does not match {self.match!r}")
        return True


def raises(expected: Any, *args: Any, match: str | None = None, **kwargs: Any) -> Raises:
    """Expects an exception, in a block or of a call."""
    context = Raises(expected, match)
    if args:
        with context:
            args[0](*args[1:], **kwargs)
    return context


class Approx:
    """A number, or a container of numbers, to be met approximately."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, expected: Any, rel: float | None = None, abs: float | None = None,  # noqa: A002
        nan_ok: bool = False,
    ) -> None:  # fmt: skip
        self.expected = expected
        self.given = (rel, abs, nan_ok)

    def __eq__(self, other: object) -> bool:
        return self._near(self.expected, other)

    def __repr__(self) -> str:
        return f"approx({self.expected!r})"

    def _near(self, expected: Any, got: Any) -> bool:
        if isinstance(expected, dict):
            return (
                isinstance(got, dict)
                and expected.keys() == got.keys()
                and all(self._near(value, got[key]) for key, value in expected.items())
            )
        if isinstance(expected, list | tuple):
            return (
                isinstance(got, list | tuple)
                and len(expected) == len(got)
                and all(map(self._near, expected, got))
            )
        if not isinstance(expected, int | float | complex) or isinstance(expected, bool):
            return bool(expected == got)
        if type(got) not in (int, float, complex, bool) and not _numeric(got):
            return False
        return self._number(expected, got)

    def _number(self, expected: Any, got: Any) -> bool:
        rel, absolute, nan_ok = self.given
        if expected == got:
            return True
        if isinstance(expected, float) and math.isnan(expected):
            return nan_ok and got != got  # noqa: PLR0124 - NaN of any type
        if isinstance(expected, float) and math.isinf(expected):
            return False
        least = 1e-12 if absolute is None else absolute
        share = (1e-6 if absolute is None else 0.0) if rel is None else rel
        return bool(abs(expected - got) <= max(least, share * abs(expected)))


def _numeric(value: object) -> bool:
    return type(value).__module__ in ("fractions", "decimal", "numpy")


class _Mark:
    def parametrize(self, names: Any, values: Any, **_kwargs: Any) -> Callable[[Any], Any]:
        """One set of parameters each."""
        listed = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)

        def sets() -> Iterator[dict[str, Any]]:
            for value in values:
                row = value.values if isinstance(value, Param) else value
                single = len(listed) == 1 and not isinstance(value, Param)
                yield dict(zip(listed, (row,) if single else row, strict=True))

        def mark(function: Any) -> Any:
            held = function.__dict__.setdefault("pytest_parameters", [])
            held.append(list(sets()))
            return function

        return mark

    def __getattr__(self, _name: str) -> Any:
        return lambda *args, **_kwargs: args[0] if args and callable(args[0]) else lambda f: f


class Param:
    """A row of `parametrize`."""

    def __init__(self, *values: Any, **_kwargs: Any) -> None:
        self.values = values


class Fixture:
    """A function that makes a value for tests."""

    def __init__(self, function: Callable[..., Any], name: str, *, always: bool) -> None:
        self.function = function
        self.name = name
        self.always = always


def fixture(function: Any = None, *, name: str = "", autouse: bool = False, **_kwargs: Any) -> Any:
    """Marks a function as a fixture."""
    if function is None:
        return lambda made: Fixture(made, name or made.__name__, always=autouse)
    return Fixture(function, name or function.__name__, always=autouse)


class Fixtures:
    """The fixtures of a script and a few of pytest's own; each made once a test."""

    def __init__(self, values: list[Any]) -> None:
        self._own = {value.name: value for value in values if isinstance(value, Fixture)}
        self.always = [value.name for value in self._own.values() if value.always]

    def value(self, name: str, stack: contextlib.ExitStack) -> Any:
        """The value of a fixture; what it has to undo is left on the stack."""
        if name not in self._own:
            return stack.enter_context(BUILT_IN[name]())
        function = self._own[name].function
        wanted = inspect.signature(function).parameters
        made = function(**{each: self.value(each, stack) for each in wanted})
        if inspect.isgenerator(made):
            stack.callback(next, made, None)
            return next(made)
        return made


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

    def setitem(self, mapping: Any, key: Any, value: Any) -> None:
        """Sets an item of a mapping."""
        old = mapping.get(key, _UNSET)
        restore = mapping.pop if old is _UNSET else mapping.__setitem__
        self._undo.append(lambda: restore(key, *([] if old is _UNSET else [old])))
        mapping[key] = value

    def setenv(self, name: str, value: Any) -> None:
        """Sets a variable of the environment."""
        self.setitem(os.environ, name, str(value))

    def undo(self) -> None:
        """Puts everything back."""
        while self._undo:
            self._undo.pop()()


@contextlib.contextmanager
def _monkeypatch() -> Iterator[MonkeyPatch]:
    patch = MonkeyPatch()
    try:
        yield patch
    finally:
        patch.undo()


class Captured:
    """What was printed since the last look."""

    def __init__(self) -> None:
        self.buffer = io.StringIO()

    def readouterr(self) -> Any:
        """The printed text, and an empty one for the errors."""
        text = self.buffer.getvalue()
        self.buffer.seek(0)
        self.buffer.truncate()
        return SimpleNamespace(out=text, err="")


@contextlib.contextmanager
def _capsys() -> Iterator[Captured]:
    captured = Captured()
    with contextlib.redirect_stdout(captured.buffer):
        yield captured


@contextlib.contextmanager
def _tmp_path() -> Iterator[pathlib.Path]:
    yield pathlib.Path(tempfile.mkdtemp())


def fail(reason: str = "", **_kwargs: Any) -> None:
    """Fails a test."""
    raise AssertionError(reason)


def skip(reason: str = "", **_kwargs: Any) -> None:
    """Skips a test."""
    raise Skipped(reason)


BUILT_IN: dict[str, Callable[[], Any]] = {
    "capsys": _capsys,
    "monkeypatch": _monkeypatch,
    "tmp_path": _tmp_path,
}
PUBLIC: dict[str, Any] = {
    "raises": raises,
    "approx": Approx,
    "mark": _Mark(),
    "param": Param,
    "fixture": fixture,
    "fail": fail,
    "skip": skip,
    "importorskip": importlib.import_module,
    "MonkeyPatch": MonkeyPatch,
    "sys": sys,
}
