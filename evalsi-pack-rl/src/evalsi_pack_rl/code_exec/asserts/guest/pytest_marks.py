"""Marks of pytest that decide what runs, and with what."""

from __future__ import annotations

import itertools
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS, NEEDED, LEFT_OUT = "pytest_parameters", "pytest_fixtures", "pytest_left_out"
MARKED = (FunctionType, MethodType, type)


class Mark:
    """`pytest.mark`; what it does not know it passes over."""

    def parametrize(self, names: Any, values: Any, **_kwargs: Any) -> Callable[[Any], Any]:
        """One set of parameters each."""
        listed = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)

        def sets() -> Iterator[dict[str, Any]]:
            for value in values:
                row = value.values if isinstance(value, Param) else value
                single = len(listed) == 1 and not isinstance(value, Param)
                yield dict(zip(listed, (row,) if single else row, strict=True))

        return lambda marked: _added(marked, ROWS, list(sets()))

    def usefixtures(self, *names: str) -> Callable[[Any], Any]:
        """Fixtures that are made and not passed."""
        return lambda marked: _added(marked, NEEDED, *names)

    def skip(self, *args: Any, **_kwargs: Any) -> Any:
        """A test that is left out."""
        return _left_out(args)

    def skipif(self, condition: Any, *_args: Any, **_kwargs: Any) -> Any:
        """A test that is left out where a condition holds."""
        return _left_out(()) if condition else lambda marked: marked

    def xfail(self, *args: Any, **_kwargs: Any) -> Any:
        """A test that may fail: left out, for it tells nothing."""
        return _left_out(args)

    def __getattr__(self, _name: str) -> Any:
        return lambda *args, **_kwargs: args[0] if args and callable(args[0]) else lambda f: f


class Param:
    """A row of `parametrize`."""

    def __init__(self, *values: Any, **_kwargs: Any) -> None:
        self.values = values


def marks(marked: Any, name: str) -> list[Any]:
    """What marks say of a function, or of a class; nothing of what the program made of it."""
    return list(getattr(marked, name, ())) if issubclass(type(marked), MARKED) else []


def parameter_sets(*marked: Any) -> Iterator[dict[str, Any]]:
    """The product of what each `parametrize` says."""
    rows = [row for each in marked for row in marks(each, ROWS)]
    for chosen in itertools.product(*rows):
        yield {name: value for part in chosen for name, value in part.items()}


def _added(marked: Any, name: str, *values: Any) -> Any:
    if not issubclass(type(marked), MARKED):
        raise TypeError("a mark on what is no function and no class of the test")
    setattr(marked, name, [*marks(marked, name), *values])
    return marked


def _left_out(args: tuple[Any, ...]) -> Any:
    if args and callable(args[0]):
        return _added(args[0], LEFT_OUT, True)
    return lambda marked: _added(marked, LEFT_OUT, True)
