"""A coroutine whose first step is taken at once, as eager tasks of Python 3.12 take it."""

from __future__ import annotations

import types
from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any

__all__ = ["begun"]


def begun(coroutine: Coroutine[Any, Any, None]) -> Coroutine[Any, Any, None]:
    """What is left of a coroutine after its first step, which is taken in this call.

    It may be run in another task than the one that calls this. What the first step raises is
    raised here.
    """
    try:
        waits_for = coroutine.send(None)
    except StopIteration:
        return _nothing()
    return _rest(coroutine, waits_for)


async def _nothing() -> None:
    pass


async def _rest(coroutine: Coroutine[Any, Any, None], waits_for: Any) -> None:
    await _steps(coroutine, waits_for)


@types.coroutine
def _steps(coroutine: Coroutine[Any, Any, None], waits_for: Any) -> Generator[Any, Any, None]:
    while True:
        try:
            step = partial(coroutine.send, (yield waits_for))
        except BaseException as error:  # noqa: BLE001 - the coroutine's to handle
            step = partial(coroutine.throw, error)
        try:
            waits_for = step()
        except StopIteration:
            return
