"""What an object of the candidate says of itself, which stands until the test has something done.

A length that is another at the second look, or a number that is another wherever it stands, would
meet whatever a test asks of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest.plain import SCALARS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalsi_pack_rl.code_exec.asserts.guest.peer import Peer

MOST_ITEMS = 10_000
_LENGTH = ("len",)


class Said:
    """The answers of one object, each with the turn in which it gave it."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._answers: dict[tuple[Any, ...], tuple[int, Any]] = {}
        self._items = _Given(-1)

    def answer(self, question: tuple[Any, ...], ask: Callable[[], Any]) -> Any:
        """The answer of this turn."""
        turn, value = self._answers.get(question, (-1, None))
        if turn != self._peer.turn or self._peer.pending():
            value = ask()
            self._answers[question] = (self._peer.turn, value)
        return value

    def length(self, value: int) -> int:
        """A length; raises `TypeError` where it is not the number of items that it just gave."""
        count = self._given().count
        if count is not None and count != value:
            raise TypeError(f"an object of the program that gave {count} items has length {value}")
        return value

    def counting(self, iterator: Any) -> Iterator[Any]:
        """Its items; raises `TypeError` where they are not those of before, or not so many."""
        turn, count = self._peer.turn, 0
        while True:
            try:
                item = next(iterator)
            except StopIteration:
                break
            if turn == self._peer.turn:
                self._given().meet(count, item)
            count += 1
            yield item
        if turn == self._peer.turn:
            self._given().end(count, self._answers.get(_LENGTH, (-1, None)))

    def _given(self) -> _Given:
        if self._items.turn != self._peer.turn:
            self._items = _Given(self._peer.turn)
        return self._items


class _Given:
    """The items that an object gave in a turn, as far as it was asked."""

    def __init__(self, turn: int) -> None:
        self.turn = turn
        self.count: int | None = None
        self._items: list[Any] = []

    def meet(self, at: int, item: Any) -> None:
        """An item at its place; a number or a text has to be that of before."""
        known = self._items[at] if at < len(self._items) else item
        plain = type(item) in SCALARS and type(known) in SCALARS
        if plain and repr(item) != repr(known):
            raise TypeError("an object of the program gave other items than before")
        if at == len(self._items) < MOST_ITEMS:
            self._items.append(item)

    def end(self, count: int, length: tuple[int, Any]) -> None:
        """The number of items, which is one number, and that of its length."""
        wanted = length[1] if length[0] == self.turn else count
        if count != wanted or self.count not in (None, count):
            raise TypeError(f"an object of the program of length {wanted} gave {count} items")
        self.count = count
