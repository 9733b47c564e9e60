"""Stand-ins in the candidate's process for what the test passed: functions, iterators, objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import known

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalsi_pack_rl.code_exec.asserts.guest.candidate import Served


class Unset:
    """Stands for a default value of the test's, which stays there."""


UNSET = Unset()


def visiting(
    served: Served, number: int, name: str, shape: list[Any] | None = None
) -> Callable[..., Any]:
    """A function that calls the test's.

    Args:
        served: has the wire.
        number: the function's.
        name: the function's.
        shape: its parameters by kind, those that are optional, its docstring, its annotations.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        return served.call_home("call", number, *args, **kwargs)

    made: Any = call if shape is None else _shaped(call, shape)
    made.__name__ = made.__qualname__ = name
    if shape is not None:
        made.__doc__ = shape[6]
        made.__annotations__ = {each: known.type_of(kind) for each, kind in shape[7]}
    return made  # type: ignore[no-any-return]


def _shaped(call: Callable[..., Any], shape: list[Any]) -> Callable[..., Any]:
    """A function with the parameters of the test's: a program may count them."""
    first, both, star, only, stars, optional = shape[:6]

    def forward(given: dict[str, Any]) -> Any:
        args = [given[name] for name in first if given[name] is not UNSET]
        named = {name: given[name] for name in only if given[name] is not UNSET}
        skipped = len(args) < len(first)
        for name in both:
            if given[name] is UNSET:
                skipped = True
            elif skipped:
                named[name] = given[name]
            else:
                args.append(given[name])
        for name in stars:
            named |= given[name]
        return call(*args, *(given[star[0]] if star else ()), **named)

    def written(names: list[str]) -> list[str]:
        return [f"{name}=evalsi_unset" if name in optional else name for name in names]

    parts = [*written(first), *(["/"] if first else []), *written(both)]
    parts += [f"*{star[0]}"] if star else ["*"] if only else []
    parts += [*written(only), *(f"**{name}" for name in stars)]
    made: Callable[..., Any] = eval(  # noqa: S307 - names of parameters, from the test
        f"lambda {', '.join(parts)}: evalsi_forward(locals())",
        {"evalsi_forward": forward, "evalsi_unset": UNSET},
    )
    return made


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

    def __init__(self, served: Served, number: int, kind: type) -> None:
        object.__setattr__(self, "_home", (served, number))
        object.__setattr__(self, "_kind", kind)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # what `isinstance` goes by
        return object.__getattribute__(self, "_kind")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102 - as an object does
        served, number = object.__getattribute__(self, "_home")
        return served.call_home("call", number, *args, **kwargs)

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
for _name in OPERATORS - {"__call__", "__exit__"}:
    setattr(Visitor, _name, _operator(_name))
Visitor.__exit__ = lambda self, *_: _operator("__exit__")(self, None, None, None)  # type: ignore[attr-defined]
