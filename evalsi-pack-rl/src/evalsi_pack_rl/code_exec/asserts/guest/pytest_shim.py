"""As much of pytest as tests of single functions use; pytest itself is not in a jail."""

from __future__ import annotations

import contextlib
import importlib
import math
import re
import sys
import warnings
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import pytest_fixtures, pytest_marks

if TYPE_CHECKING:
    from collections.abc import Iterator


class Skipped(BaseException):
    """A test that skips itself."""


class Raises:
    """The context of `raises`."""

    def __init__(self, expected: Any, match: str | None) -> None:
        self.expected = expected
        self._wanted = match
        self.value: BaseException | None = None

    @property
    def type(self) -> Any:
        """The class of what was raised."""
        return type(self.value)

    @property
    def typename(self) -> str:
        """The name of that class."""
        return type(self.value).__name__

    def __enter__(self) -> Raises:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, _trace: Any) -> bool:
        if error is None:
            raise AssertionError(f"DID NOT RAISE {self.expected}")
        if not isinstance(error, self.expected):
            return False
        self.value = error
        return self._wanted is None or self.match(self._wanted)

    def match(self, pattern: str) -> bool:
        """Holds where the text of the exception has the pattern somewhere."""
        if not re.search(pattern, str(self.value)):
            raise AssertionError(f"{str(self.value)!r} does not match {pattern!r}")
        return True


def raises(expected: Any, *args: Any, match: str | None = None, **kwargs: Any) -> Raises:
    """Expects an exception, in a block or of a call."""
    context = Raises(expected, match)
    if args:
        with context:
            args[0](*args[1:], **kwargs)
    return context


@contextlib.contextmanager
def warns(expected: Any = Warning, *, match: str | None = None) -> Iterator[Any]:
    """Expects a warning in a block."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
    found = [each for each in caught if issubclass(each.category, expected)]
    if not any(match is None or re.search(match, str(each.message)) for each in found):
        raise AssertionError(f"DID NOT WARN {expected}")


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
                and len(expected) == len(items := list(got))  # whatever a class of it says
                and all(map(self._near, expected, items))
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


def fail(reason: str = "", **_kwargs: Any) -> None:
    """Fails a test."""
    raise AssertionError(reason)


def skip(reason: str = "", **_kwargs: Any) -> None:
    """Skips a test."""
    raise Skipped(reason)


def importorskip(name: str, *_args: Any, **_kwargs: Any) -> Any:
    """A module; a test that needs one that is not there skips itself."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Skipped(name) from None


PUBLIC: dict[str, Any] = {
    "raises": raises,
    "warns": warns,
    "approx": Approx,
    "mark": pytest_marks.Mark(),
    "param": pytest_marks.Param,
    "fixture": pytest_fixtures.fixture,
    "fail": fail,
    "skip": skip,
    "importorskip": importorskip,
    "MonkeyPatch": pytest_fixtures.MonkeyPatch,
    "sys": sys,
    "main": lambda *_args, **_kwargs: 0,
}
