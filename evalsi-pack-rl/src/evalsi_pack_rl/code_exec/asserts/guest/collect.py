"""Runs what a script defines: `unittest` classes, `test…` functions, `Test…` classes."""

from __future__ import annotations

import contextlib
import inspect
import sys
import unittest.mock
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import pytest_fixtures, pytest_marks, pytest_shim
from evalsi_pack_rl.code_exec.asserts.guest.pytest_marks import LEFT_OUT, NEEDED, marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def prepare() -> None:
    """Puts our own `unittest.main` and `pytest` in place."""
    sys.modules["pytest"] = module = ModuleType("pytest")
    module.__dict__.update(pytest_shim.PUBLIC)
    unittest.main = lambda *_args, **_kwargs: None  # type: ignore[assignment]


def run(space: dict[str, Any], collected: list[str], suites: list[str], *, scripted: bool) -> None:
    """Runs everything; raises at the first failure.

    Args:
        space: the script's globals.
        collected: names of its functions.
        suites: names of its classes of tests; a decorator may have put something else there.
        scripted: whether nothing else asserts: one test at least has to come to its end, since what
            the program returns may be why a test skips itself.
    """
    lost = [name for name in suites if not _is_suite(dict.get(space, name), name)]
    if lost:
        raise AssertionError(f"no class of tests any more: {', '.join(lost)}")
    classes = [value for value in list(space.values()) if issubclass(type(value), type)]
    cases = [kind for kind in classes if issubclass(kind, unittest.TestCase)]
    ended = run_unittest([kind for kind in cases if kind.__module__ == "__main__"])
    fixtures = pytest_fixtures.Fixtures(list(space.values()))
    with _around(space, "module", sys.modules["__main__"]):
        for name in collected:
            value = dict.get(space, name)
            if isinstance(value, FunctionType):
                with _around(space, "function", value):
                    ended += run_function(value, fixtures)
            elif callable(value):  # what a decorator of the program made of it
                value()
                ended += 1
    for kind in classes:
        if kind.__name__.startswith("Test") and kind not in cases and not marks(kind, LEFT_OUT):
            ended += run_class(kind, fixtures)
    if scripted and not ended:
        raise AssertionError("every test of the script was skipped")


def _is_suite(value: Any, name: str) -> bool:
    """Whether a value is the class of a name, or one that derives from it."""
    kinds = type.mro(value) if issubclass(type(value), type) else []
    return any((kind.__module__, kind.__name__) == ("__main__", name) for kind in kinds)


def run_unittest(cases: list[type[unittest.TestCase]]) -> int:
    """Runs test cases as `unittest` does; how many came to their end."""
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    result = Result()
    unittest.TestSuite(map(load, cases)).run(result)
    if result.first is not None:
        raise result.first
    if not result.wasSuccessful():
        raise AssertionError("a test that should fail did not")
    return result.ended


class Result(unittest.TestResult):
    """Keeps the first exception as it was raised."""

    first: BaseException | None = None
    ended = 0

    def _keep(self, error: Any) -> None:
        self.first = self.first or error[1]

    def addSuccess(self, _test: Any) -> None:  # noqa: N802 - unittest's name
        """Counts it."""
        self.ended += 1

    def addExpectedFailure(self, _test: Any, _err: Any) -> None:  # noqa: N802 - unittest's name
        """Counts it."""
        self.ended += 1

    def addError(self, _test: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        """Keeps it."""
        self._keep(err)

    def addFailure(self, _test: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        """Keeps it."""
        self._keep(err)

    def addSubTest(self, _test: Any, _subtest: Any, err: Any) -> None:  # noqa: N802
        """Keeps it where the part failed."""
        if err is not None:
            self._keep(err)


def run_class(kind: type, fixtures: pytest_fixtures.Fixtures) -> int:
    """Runs the methods of a plain class of tests, each on an object of its own."""
    ended = 0
    with _around({name: getattr(kind, name) for name in dir(kind)}, "class"):
        for name in [name for name in dir(kind) if name.startswith("test")]:
            thing = kind()
            around = {each: getattr(thing, each) for each in dir(kind)}
            with _around(around, "method", getattr(thing, name)):
                ended += run_function(getattr(thing, name), fixtures.of(thing), kind)
    return ended


@contextlib.contextmanager
def _around(space: dict[str, Any], what: str, *given: Any) -> Iterator[None]:
    """Calls `setup_…` before and `teardown_…` after, where they are there."""
    _call(dict.get(space, f"setup_{what}"), given)
    try:
        yield
    finally:
        _call(dict.get(space, f"teardown_{what}"), given)


def _call(function: Any, given: tuple[Any, ...]) -> None:
    if inspect.isroutine(function):
        function(*given[: len(inspect.signature(function).parameters)])


def run_function(
    function: Callable[..., Any], fixtures: pytest_fixtures.Fixtures, *around: Any
) -> int:
    """Runs a function once for each of its sets of parameters, and of its fixtures'."""
    ended = 0
    if marks(function, LEFT_OUT):
        return ended
    for given in pytest_marks.parameter_sets(function, *around):
        wanted = [name for name in _arguments(function) if name not in given]
        needed = [name for each in (function, *around) for name in marks(each, NEEDED)]
        needed = [*fixtures.always, *needed, *wanted]
        for chosen in fixtures.rounds(needed):
            with contextlib.ExitStack() as stack:
                values = {name: chosen.value(name, stack) for name in needed}
                ended += _run(function, {**given, **{name: values[name] for name in wanted}})
    return ended


def _run(function: Callable[..., Any], given: dict[str, Any]) -> bool:
    """Runs a test; whether it came to its end."""
    try:
        result = function(**given)
    except pytest_shim.Skipped:
        return False
    if inspect.iscoroutine(result):
        import asyncio

        asyncio.run(result)
    return True


def _arguments(function: Callable[..., Any]) -> list[str]:
    """The fixtures that a function asks for; what `mock.patch` passes comes first, and is none."""
    found = inspect.signature(function).parameters.values()
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    names = [p.name for p in found if p.default is p.empty and p.kind not in variable]
    patches = getattr(function, "patchings", [])
    return names[sum(p.new is unittest.mock.DEFAULT and not p.attribute_name for p in patches) :]
