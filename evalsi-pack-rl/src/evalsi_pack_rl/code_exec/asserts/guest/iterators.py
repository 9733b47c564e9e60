"""Iterators of the candidate: they run there, as far as the test looks."""

from __future__ import annotations

from typing import Any

from evalsi_pack_rl.code_exec.asserts.guest.remote import Remote, State, state_of
from evalsi_pack_rl.code_exec.asserts.guest.wire import Malformed

SINGLY = 256  # so many items come one by one, for what a test may see between them
CHUNK = 256


class RemoteIterator(Remote):
    """A generator or another iterator of the candidate: runs there, as far as the test looks."""

    __slots__ = ("_ahead",)

    def __init__(self, state: State) -> None:
        super().__init__(state)
        _AHEAD.__set__(self, [0, [], True])

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        ahead = _AHEAD.__get__(self)
        ahead[0] += 1
        if ahead[0] <= SINGLY:
            return state_of(self).ask("next")
        if not ahead[1] and ahead[2]:
            items, more = _two(state_of(self).ask("many", CHUNK))
            ahead[1:] = [items[::-1], more]
        if not ahead[1]:
            raise StopIteration
        return ahead[1].pop()


_AHEAD: Any = RemoteIterator.__dict__["_ahead"]


def _two(value: Any) -> list[Any]:
    if type(value) is not list or len(value) != 2 or type(value[0]) is not list:
        raise Malformed("no chunk of items")
    return value
