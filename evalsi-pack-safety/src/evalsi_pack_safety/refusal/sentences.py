"""The sentences of a completion, and what each is to the question whether it refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from evalsi_pack_safety.refusal.passages import Kind, Passage
from evalsi_pack_safety.refusal.words import ENDS, words_of

__all__ = ["Sentence", "sentences_of"]

_LONGEST: Final = 200
_STOPS: Final = frozenset({ENDS, "?"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """Some words of one passage.

    Attributes:
        words: in small letters, with pauses; without the mark at the end.
        kind: of the passage.
        ended: whether a mark or the passage ends it.
        introduces: whether it ends with a colon, the last of its passage.
    """

    words: list[str]
    kind: Kind
    ended: bool = True
    introduces: bool = False


def sentences_of(passages: Iterable[Passage], most_words: int = 4000) -> list[Sentence]:
    """The sentences, in order; code, headings, quotations and letters are one each."""
    found: list[Sentence] = []
    left = most_words
    for passage in passages:
        if passage.kind not in ("prose", "item"):
            found.append(Sentence([], passage.kind))
            continue
        words = words_of(passage.text, left)
        left -= len(words)
        found += _sentences(words, passage.kind)
    return found


def _sentences(words: list[str], kind: Kind) -> Iterator[Sentence]:
    start = 0
    for place, word in enumerate(words):
        if word in _STOPS or place - start >= _LONGEST:
            if place > start:
                yield Sentence(words[start:place], kind)
            start = place + 1
    if rest := words[start:]:
        introduces = rest[-1] == ":"
        yield Sentence(rest, kind, ended=False, introduces=introduces)
