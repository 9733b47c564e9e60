"""Whether a pattern's deterministic automaton is small, so that each character costs one step.

RE2 makes the automaton as it reads. Where it has few states, a text takes a nanosecond or two a
character, whatever the text; where it explodes (`.*a.{400}b` has 2^400), RE2 falls back to all
positions of the pattern at once, for each character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from evalsi_pack_rl.pattern_tree import (
    Anchor,
    Chain,
    Choice,
    Letter,
    NotLinearError,
    Repeat,
    Tree,
    classes_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalsi_pack_rl.codepoints import Ranges

__all__ = ["has_small_automaton"]

_MOST_STATES: Final = 1000
_MOST_STEPS: Final = 200_000
_MOST_PARTS: Final = 5000

_NEWLINE: Final = 10
_WORD: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_EDGE, _LINE, _IN_WORD, _OTHER = range(4)
"""What a place has on one side: an end of the text, a newline, a letter of a word, another."""


def has_small_automaton(tree: Tree, letters_of: Callable[[Ranges], frozenset[int]]) -> bool:
    """Whether a tree has an automaton that is built in short time.

    Args:
        tree: the pattern.
        letters_of: the bytes of the pattern's alphabet that stand for a set of characters.
    """
    try:
        return _Automaton(tree, letters_of).is_small()
    except NotLinearError:
        return False


class _Fragment(NamedTuple):
    """A part of the pattern: sets of positions as bits, and whether it may match nothing."""

    first: int
    last: int
    empty: bool


class _Automaton:
    """Positions of a pattern (each letter or anchor of it is one), and which follow which."""

    def __init__(self, tree: Tree, letters_of: Callable[[Ranges], frozenset[int]]) -> None:
        self._letters_of = letters_of
        self._parts = 0
        self._after: list[int] = []
        self._anchors: dict[str, int] = {}
        self._readers: dict[Ranges, int] = {}
        self._start = self._fragment(tree).first
        self._groups = dict.fromkeys(self._readable(tree))

    def is_small(self) -> bool:
        """Walks the deterministic automaton from its start."""
        begin = (self._start, _EDGE if self._anchors else _OTHER)
        seen, waiting, steps = {begin}, [begin], 0
        while waiting:
            state, before = waiting.pop()
            for readers, kind in self._groups:
                read = self._opened(state, before, kind) & readers
                steps += 1 + read.bit_count()
                target = (self._behind(read), kind)
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
            if len(seen) > _MOST_STATES or steps > _MOST_STEPS:
                return False
        return True

    def _readable(self, tree: Tree) -> Iterator[tuple[int, int]]:
        """For each kind of letter, the positions that read it, and what it is to an anchor."""
        classes = set(classes_of(tree))
        letters = [(self._letters_of(one), self._readers.get(one, 0)) for one in classes]
        for letter in range(256):
            readers = 0
            for members, positions in letters:
                if letter in members:
                    readers |= positions
            yield readers, _kind(letter) if self._anchors else _OTHER

    def _opened(self, state: int, before: int, after: int) -> int:
        """The state with what lies behind its anchors that hold at this place."""
        if not self._anchors:
            return state
        holding = 0
        for anchor, positions in self._anchors.items():
            if _holds(anchor, before, after):
                holding |= positions
        passed = 0
        while new := state & holding & ~passed:
            passed |= new
            state |= self._behind(new)
        return state

    def _behind(self, positions: int) -> int:
        reached = 0
        for position in _bits(positions):
            reached |= self._after[position]
        return reached

    def _fragment(self, tree: Tree) -> _Fragment:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise NotLinearError
        match tree:
            case Letter(members):
                position = self._position()
                self._readers[members] = self._readers.get(members, 0) | position
                return _Fragment(position, position, empty=False)
            case Anchor(written):
                position = self._position()
                self._anchors[written] = self._anchors.get(written, 0) | position
                return _Fragment(position, position, empty=False)
            case Chain(parts):
                return self._chained(self._fragment(part) for part in parts)
            case Choice(parts):
                return _either([self._fragment(part) for part in parts])
            case Repeat(part, least, most):
                return self._repeated(part, least, most)

    def _position(self) -> int:
        self._after.append(0)
        return 1 << (len(self._after) - 1)

    def _chained(self, fragments: Iterator[_Fragment]) -> _Fragment:
        whole = _NOTHING
        for one in fragments:
            self._link(whole.last, one.first)
            whole = _Fragment(
                whole.first | (one.first if whole.empty else 0),
                one.last | (whole.last if one.empty else 0),
                whole.empty and one.empty,
            )
        return whole

    def _repeated(self, part: Tree, least: int, most: int | None) -> _Fragment:
        needed = [self._fragment(part) for _ in range(max(least, most is None))]
        if most is None:
            self._link(needed[-1].last, needed[-1].first)
            if least == 0:
                needed[-1] = needed[-1]._replace(empty=True)
            return self._chained(iter(needed))
        further = _NOTHING
        for _ in range(most - least):
            further = self._chained(iter((self._fragment(part), further)))._replace(empty=True)
        return self._chained(iter((*needed, further)))

    def _link(self, last: int, first: int) -> None:
        for position in _bits(last):
            self._after[position] |= first


_NOTHING: Final = _Fragment(0, 0, empty=True)


def _either(fragments: list[_Fragment]) -> _Fragment:
    first = last = 0
    for one in fragments:
        first, last = first | one.first, last | one.last
    return _Fragment(first, last, any(one.empty for one in fragments))


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _kind(letter: int) -> int:
    if letter == _NEWLINE:
        return _LINE
    return _IN_WORD if letter in _WORD else _OTHER


def _holds(anchor: str, before: int, after: int) -> bool:
    match anchor:
        case r"\A":
            return before == _EDGE
        case "(?m:^)":
            return before in {_EDGE, _LINE}
        case "(?m:$)":
            return after == _LINE
        case r"\b":
            return (before == _IN_WORD) != (after == _IN_WORD)
    return False  # the end of the text comes before no letter
