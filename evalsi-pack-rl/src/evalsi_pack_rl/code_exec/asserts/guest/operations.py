"""What the tester may ask for, and how the candidate's process does it."""

from __future__ import annotations

import copy
import itertools
import operator
import os
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalsi_pack_rl.code_exec.asserts.guest.candidate import Served


def _many(served: Served, iterator: Any, most: int) -> list[Any]:
    """Up to so many items, and whether there are more; an error waits for its turn."""
    stashed = served.stash.pop(id(iterator), None)
    if stashed is not None:
        raise stashed
    items = []
    try:
        for item in itertools.islice(iterator, most):
            items.append(item)  # noqa: PERF402 - what came before an error counts
    except BaseException as error:
        if not items:
            raise
        served.stash[id(iterator)] = error
        return [items, True]
    return [items, len(items) == most]


def _leave(manager: Any, error: Any) -> bool:
    return bool(type(manager).__exit__(manager, type(error) if error else None, error, None))


def _await(awaitable: Any) -> Any:
    import asyncio

    async def wait() -> Any:
        return await awaitable

    with asyncio.Runner() as runner:
        return runner.run(wait())


def _environ(changes: dict[str, str | None]) -> None:
    for name, value in changes.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _applying(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _, *args: function(*args)


FUNCTIONS = (
    len, str, repr, hash, int, float, complex, operator.index, iter, reversed, round, format,
    divmod, dir, abs, bytes,
)  # fmt: skip
OPERATORS = (
    "eq ne lt le gt ge add sub mul truediv floordiv mod matmul lshift rshift and_ or_ xor neg pos "
    "invert getitem setitem delitem"
)
OPERATIONS: dict[str, Callable[..., Any]] = {
    "hello": lambda served, names: served.hello(names),
    "attr": lambda _, thing, name: getattr(thing, name),
    "setattr": lambda _, thing, name, value: setattr(thing, name, value),
    "delattr": lambda _, thing, name: delattr(thing, name),
    "call": lambda _, function, *args, **kwargs: function(*args, **kwargs),
    "plain": lambda served, thing: served.abroad.plain_part(thing),
    "next": lambda _, iterator: next(iterator),
    "many": _many,
    "await": lambda _, awaitable: _await(awaitable),
    "aiter": lambda _, iterable: aiter(iterable),
    "anext": lambda _, iterator: _await(anext(iterator)),
    "bool": lambda _, thing: bool(thing),
    "contains": lambda _, thing, item: item in thing,
    "instance": lambda _, thing, kind: isinstance(thing, kind),
    "subclass": lambda _, thing, kind: issubclass(thing, kind),
    "enter": lambda _, manager: type(manager).__enter__(manager),
    "leave": lambda _, manager, error: _leave(manager, error),
    "copy": lambda _, thing: copy.copy(thing),
    "deepcopy": lambda _, thing: copy.deepcopy(thing),
    "seed": lambda _, *args, **kwargs: random.seed(*args, **kwargs),
    "environ": lambda _, changes: _environ(changes),
    "pow": lambda _, one, other: one**other,
    **{function.__name__: _applying(function) for function in FUNCTIONS},
    **{name: _applying(getattr(operator, name)) for name in OPERATORS.split()},
}
