"""Phrases with alternatives, matched against words without going back.

    i {hardly}* {unable} {act}      words, and groups of phrases by name
    what|which                      one of these words
    provid*  *ing                   a word that begins, or ends, so
    [that]                          a word or group that may be missing; {group}* repeats
    !but|{vague}                    what must not come here
    ..4                             up to four other words of the same clause
    ^  $                            here the sentence begins; here the clause ends

A set of places walks through the words, so that the time is the product of both lengths at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from evalsi_pack_safety.refusal.words import ENDS, PAUSE, words_of

__all__ = ["Phrases", "phrases"]

Places = frozenset[int]
Step = Callable[[list[str], Places], Places]
"""Where one may be after a part of a phrase, from where one was."""

Groups = Mapping[str, "Phrases"]

_STOPS: Final = frozenset({PAUSE, ENDS, "?", ":"})
_ENDS_CLAUSE: Final = _STOPS | {"but", "because", "and", "as", "since", "so"}
_NOWHERE: Final[Places] = frozenset()
_REPEATS: Final = 4
_ASIDE: Final = 9


class Phrases:
    """Some phrases, found by the words that they begin with."""

    def __init__(self, written: Iterable[str], groups: Groups) -> None:
        self._by_word: dict[str, list[tuple[Step, ...]]] = {}
        self._open: list[tuple[Step, ...]] = []
        for phrase in written:
            steps = tuple(_steps(phrase, groups))
            beginnings = _beginnings(phrase.split(), groups)
            if beginnings is None:
                self._open.append(steps)
            for word in beginnings or ():
                self._by_word.setdefault(word, []).append(steps)

    @property
    def beginnings(self) -> frozenset[str] | None:
        """The words that the phrases begin with; None where that is open."""
        return None if self._open else frozenset(self._by_word)

    def end(self, words: list[str], start: int) -> int | None:
        """Where the longest phrase that begins at `start` ends, or None."""
        return max(self.ends(words, start), default=None)

    def ends(self, words: list[str], start: int) -> Places:
        """Every place where a phrase that begins at `start` may end."""
        word = words[start] if start < len(words) else ""
        found = _NOWHERE
        for steps in (*self._by_word.get(word, ()), *self._open):
            places = frozenset((start,))
            for step in steps:
                places = step(words, places)
                if not places:
                    break
            found |= places
        return found

    def first(self, words: list[str], start: int = 0) -> tuple[int, int] | None:
        """Where the first phrase in the words begins and ends, or None."""
        if not self._open and self._by_word.keys().isdisjoint(words):
            return None
        for place in range(start, len(words)):
            if self._open or words[place] in self._by_word:
                end = self.end(words, place)
                if end is not None:
                    return place, end
        return None


def phrases(written: Iterable[str], groups: Groups | None = None) -> Phrases:
    """Phrases as the head of this module writes them; groups by name."""
    return Phrases(written, groups or {})


def _beginnings(parts: list[str], groups: Groups) -> frozenset[str] | None:
    """The words that a phrase of these parts may begin with; None where that is open."""
    if not parts:
        return None
    first, rest = parts[0], parts[1:]
    if first[0] in "!^":
        return _beginnings(rest, groups)
    optional = first[0] == "[" or first.endswith("}*")
    found = [_begins(choice, groups) for choice in first.strip("[]").rstrip("*").split("|")]
    if optional:
        found.append(_beginnings(rest, groups))
    elif first.endswith("*"):
        return None
    known = [words for words in found if words is not None]
    return frozenset[str]().union(*known) if len(known) == len(found) else None


def _begins(choice: str, groups: Groups) -> frozenset[str] | None:
    if choice == "{aside}":
        return frozenset((PAUSE,))
    if choice.startswith("{"):
        return groups[choice[1:-1]].beginnings
    if set(choice) & set("$*") or choice.startswith(".."):
        return None
    return frozenset(words_of(choice)[:1])


def _steps(phrase: str, groups: Groups) -> Iterable[Step]:
    for part in phrase.split():
        if part.startswith(".."):
            yield _gap(int(part[2:]))
        elif part.startswith("!"):
            yield _unless(_choice(part[1:], groups))
        elif part.startswith("["):
            yield _maybe(_choice(part[1:-1], groups), 1)
        elif part.endswith("}*"):
            yield _maybe(_choice(part[:-1], groups), _REPEATS)
        else:
            yield _choice(part, groups)


def _choice(part: str, groups: Groups) -> Step:
    steps = [_one(choice, groups) for choice in part.split("|")]
    if len(steps) == 1:
        return steps[0]
    return lambda words, places: _NOWHERE.union(*(step(words, places) for step in steps))


def _one(choice: str, groups: Groups) -> Step:
    if choice in _PLACES:
        return _PLACES[choice]
    if choice.startswith("{"):
        group = groups[choice[1:-1]]
        return lambda words, places: _NOWHERE.union(*(group.ends(words, at) for at in places))
    if choice.startswith("*"):
        return _word(lambda word: word.endswith(choice[1:]))
    if choice.endswith("*"):
        [stem] = words_of(choice[:-1])
        return _word(lambda word: word.startswith(stem))
    return _exactly(words_of(choice) if choice != PAUSE else [PAUSE])


def _word(fits: Callable[[str], bool]) -> Step:
    def step(words: list[str], places: Places) -> Places:
        return frozenset(at + 1 for at in places if at < len(words) and fits(words[at]))

    return step


def _exactly(wanted: list[str]) -> Step:
    size = len(wanted)

    def step(words: list[str], places: Places) -> Places:
        return frozenset(at + size for at in places if words[at : at + size] == wanted)

    return step


def _maybe(step: Step, times: int) -> Step:
    def steps(words: list[str], places: Places) -> Places:
        reached = places
        for _ in range(times):
            places = step(words, places)
            if places <= reached:
                break
            reached |= places
        return reached

    return steps


def _unless(step: Step) -> Step:
    return lambda words, places: frozenset(at for at in places if not step(words, frozenset((at,))))


def _gap(most: int) -> Step:
    def step(words: list[str], places: Places) -> Places:
        reached = set(places)
        for at in places:
            for further in range(at, min(at + most, len(words))):
                if words[further] in _STOPS:
                    break
                reached.add(further + 1)
        return frozenset(reached)

    return step


def _aside(words: list[str], places: Places) -> Places:
    """From a comma to behind the next one, over a few words."""
    behind = set()
    for at in places:
        if words[at : at + 1] == [PAUSE]:
            until = words[at + 1 : at + _ASIDE]
            behind.update([at + until.index(PAUSE) + 2] if PAUSE in until else [])
    return frozenset(behind)


def _at_end(words: list[str], places: Places) -> Places:
    return frozenset(at for at in places if at >= len(words) or words[at] in _ENDS_CLAUSE)


def _at_start(_: list[str], places: Places) -> Places:
    return places & {0}


_PLACES: Final[Mapping[str, Step]] = {"^": _at_start, "$": _at_end, "{aside}": _aside}
