"""Stand-ins in the candidate's process for what the test passed: functions, iterators, objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalsi_pack_rl.code_exec.asserts.guest.candidate import Served


def visiting(served: Served, number: int, name: str) -> Callable[..., Any]:
    """A function that calls the test's."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return served.call_home("call", number, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


class VisitingIterator:
    """An iterator of the test's."""

    def __init__(self, served: Served, number: int) -> None:
        self._served = served
        self._number = number

    def __iter__(self) -> VisitingIterator:
        return self

    def __next__(self) -> Any:
        return self._served.call_home("next", self._number)


class Visitor:
    """An object of a class that the test defines: its public attributes, and its operators."""

    def __init__(self, served: Served, number: int) -> None:
        object.__setattr__(self, "_home", (served, number))

    def __getattr__(self, name: str) -> Any:
        served, number = object.__getattribute__(self, "_home")
        return served.call_home("attr", number, name)

    def __setattr__(self, name: str, value: Any) -> None:
        served, number = object.__getattribute__(self, "_home")
        served.call_home("setattr", number, name, value)


def _operator(name: str) -> Callable[..., Any]:
    def operate(self: Visitor, *args: Any) -> Any:
        served, number = object.__getattribute__(self, "_home")
        return served.call_home("operator", number, name, *args)

    return operate


_DUNDER = (
    "eq ne lt le gt ge hash len bool str repr iter next getitem setitem delitem contains call add "
    "sub mul truediv neg abs int float enter exit"
)
OPERATORS = frozenset(f"__{name}__" for name in _DUNDER.split())
for _name in OPERATORS - {"__exit__"}:
    setattr(Visitor, _name, _operator(_name))
Visitor.__exit__ = lambda self, *_: _operator("__exit__")(self, None, None, None)  # type: ignore[attr-defined]
