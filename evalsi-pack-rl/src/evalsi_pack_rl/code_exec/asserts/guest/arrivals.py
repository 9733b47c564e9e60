"""What arrives at the tester that is no plain data: objects of the candidate, as proxies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest import arrays, errors, known
from evalsi_pack_rl.code_exec.asserts.guest.iterators import RemoteIterator
from evalsi_pack_rl.code_exec.asserts.guest.kinds import OBJECT
from evalsi_pack_rl.code_exec.asserts.guest.remote import (
    NOTHING,
    Remote,
    RemoteCallable,
    RemoteClass,
    State,
)
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed

if TYPE_CHECKING:
    from evalsi_pack_rl.code_exec.asserts.guest.peer import Peer

CATCHING = frozenset((AssertionError, Exception, BaseException))


def imported(peer: Peer, form: list[Any]) -> Any:
    """What a form stands for that is an object of the candidate."""
    match form:
        case ["y", str() as name]:
            kind = known.type_of(name)
            if kind in CATCHING:
                raise Malformed(f"{name}, which would catch the test's own asserts")
            return OBJECT if kind is object else kind
        case ["k" | "x", *_]:
            return errors.error_class(peer, form, 0)
        case ["A", str() as item, value]:
            return arrays.made(item, peer.plain_value(value))
        case ["h", int() as number, str() as sort, list() as classes, None | list() as part]:
            held = peer.objects.get(number)
            if held is None:
                held = peer.objects[number] = _proxy(peer, number, sort, classes, part)
            return held
    raise Malformed("a form of an unknown kind")


def _proxy(peer: Peer, number: int, sort: str, classes: list[Any], part: Any) -> Any:
    if any(type(each) is not int for each in classes):
        raise Malformed("a class without a number")
    if part:
        value = peer.plain_value(part[0])
        part = [value]
    state = State(peer, number, sort, classes, NOTHING if part is None else part)
    if sort in ("coroutine", "async iterator"):
        made = _coroutine(state) if sort == "coroutine" else _async_iterator(state)
        peer.exports.adopt(made, number)
        return made
    kinds: dict[str, type[Remote]] = {
        "class": RemoteClass,
        "function": RemoteCallable,
        "callable": RemoteCallable,
        "iterator": RemoteIterator,
        "object": Remote,
    }
    if sort not in kinds:
        raise Malformed("an object of an unknown kind")
    return kinds[sort](state)


async def _coroutine(state: State) -> Any:
    return state.ask("await")


async def _async_iterator(state: State) -> Any:
    while True:
        try:
            value = state.ask("anext")
        except StopAsyncIteration:
            return
        yield value
