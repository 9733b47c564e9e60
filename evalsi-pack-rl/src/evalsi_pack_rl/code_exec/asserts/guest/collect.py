"""Runs what a script defines: `unittest` classes, `test…` functions, `Test…` classes."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import sys
import unittest
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import pytest_shim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalsi_pack_rl.code_exec.asserts.guest.names import Names


def prepare(space: Names) -> None:
    """Puts our own `unittest.main` and `pytest` in place."""
    sys.modules["pytest"] = module = ModuleType("pytest")
    module.__dict__.update(pytest_shim.PUBLIC)
    module.__dict__["main"] = lambda *_args, **_kwargs: 0
    unittest.main = lambda *_args, **_kwargs: None  # type: ignore[assignment]
    del space


def run(space: Names, collected: list[str]) -> None:
    """Runs everything; raises at the first failure."""
    classes = [value for value in list(space.values()) if type(value) is type]
    cases = [kind for kind in classes if issubclass(kind, unittest.TestCase)]
    run_unittest([kind for kind in cases if kind.__module__ == "__main__"])
    fixtures = pytest_shim.Fixtures(list(space.values()))
    for name in collected:
        value = dict.get(space, name)
        if isinstance(value, FunctionType):
            run_function(value, fixtures)
    for kind in classes:
        if kind.__name__.startswith("Test") and kind not in cases:
            for name in [name for name in dir(kind) if name.startswith("test")]:
                run_method(kind, name, fixtures)


def run_unittest(cases: list[type[unittest.TestCase]]) -> None:
    """Runs test cases as `unittest` does."""
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    result = Result()
    unittest.TestSuite(map(load, cases)).run(result)
    if result.first is not None:
        raise result.first
    if not result.wasSuccessful():
        raise AssertionError("a test that should fail did not")


class Result(unittest.TestResult):
    """Keeps the first exception as it was raised."""

    first: BaseException | None = None

    def _keep(self, error: Any) -> None:
        self.first = self.first or error[1]

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


def run_method(kind: type, name: str, fixtures: pytest_shim.Fixtures) -> None:
    """Runs a method of a plain class of tests, each on an object of its own."""
    thing = kind()
    before: Any = getattr(thing, "setup_method", None)
    after: Any = getattr(thing, "teardown_method", None)
    for each in (getattr(kind, "setup_class", None), before):
        if each is not None:
            each(*([getattr(thing, name)] if inspect.signature(each).parameters else []))
    try:
        run_function(getattr(thing, name), fixtures)
    finally:
        if after is not None:
            after(*([getattr(thing, name)] if inspect.signature(after).parameters else []))


def run_function(function: Callable[..., Any], fixtures: pytest_shim.Fixtures) -> None:
    """Runs a function once for each of its sets of parameters."""
    for given in parameter_sets(function):
        with contextlib.ExitStack() as stack:
            wanted = [name for name in inspect.signature(function).parameters if name not in given]
            values = {name: fixtures.value(name, stack) for name in [*fixtures.always, *wanted]}
            try:
                result = function(**given, **{name: values[name] for name in wanted})
            except pytest_shim.Skipped:
                continue
            if inspect.iscoroutine(result):
                import asyncio

                asyncio.run(result)


def parameter_sets(function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """The product of what each `parametrize` says."""
    marks = getattr(function, "__dict__", {}).get("pytest_parameters", [])
    marks = marks or getattr(getattr(function, "__func__", None), "pytest_parameters", [])
    for chosen in itertools.product(*marks):
        yield {name: value for part in chosen for name, value in part.items()}
