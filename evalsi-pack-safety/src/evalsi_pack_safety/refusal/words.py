"""A passage as plain words: one spelling of apostrophes, contractions and letters."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import Final

__all__ = ["ENDS", "PAUSE", "words_of"]

ENDS: Final = "."
"""The word that stands for the end of a sentence."""

PAUSE: Final = ","
"""The word that stands for a comma, a dash, a bracket, a semicolon."""

COLON: Final = ":"

# Each alternative begins with another kind of character, so that nothing is read twice.
_WORD: Final = re.compile(
    r"[^\W_]+(?:'[^\W_]+)*|[.!?\u2026\u3002]+(?=[\s)\]\"]|$)|[!?\u3002]+|[,;:()\u3001\u2013\u2014]"
)
_EACH_BY_ITSELF: Final = re.compile("([\u3040-\u30ff\u3400-\u9fff])")
_MARKS: Final = re.compile("[\u0300-\u036f\u3099\u309a]")
_TAG: Final = re.compile(r"</?[A-Za-z]{1,20}>")

_APOSTROPHES: Final = "\u2018\u2019\u201b\u02bc\u02b9\u2032\u00b4\u0060\uff07"
_INVISIBLE: Final = "\u00ad\u200b\u200c\u200d\u2060\ufeff*"
_SPELLING: Final = str.maketrans(
    dict.fromkeys(_APOSTROPHES, "'") | dict.fromkeys(_INVISIBLE, "") | {"_": " ", "-": " "}
)

_ENDINGS: Final = {"m": "am", "ll": "will", "d": "would", "ve": "have", "re": "are", "s": "is"}
_SHORT: Final = {
    "can't": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    "cannot": ("can", "not"),
    "cant": ("can", "not"),
    "wont": ("will", "not"),
    "dont": ("do", "not"),
    "doesnt": ("does", "not"),
    "isnt": ("is", "not"),
    "shouldnt": ("should", "not"),
    "wouldnt": ("would", "not"),
    "couldnt": ("could", "not"),
    "im": ("i", "am"),
    "ive": ("i", "have"),
    "let's": ("let", "us"),
}


def words_of(passage: str, most: int | None = None) -> list[str]:
    """The first words of a passage in small letters, accents off, with its pauses and ends.

    "I can't" gives "i", "can", "not"; a Chinese or Japanese character is a word of its own.
    """
    text = _TAG.sub(" ", passage)
    if not text.isascii():
        text = text.translate(_SPELLING)
        text = _MARKS.sub("", unicodedata.normalize("NFKD", text))
        text = _EACH_BY_ITSELF.sub(r" \1 ", text)
    words: list[str] = []
    for found in islice(_WORD.finditer(text.translate(_SPELLING).casefold()), most):
        if (word := found[0])[0].isalnum():
            words += _spelled_out(word)
        else:
            words.append(_punctuation(word))
    return words


def _spelled_out(word: str) -> tuple[str, ...]:
    if short := _SHORT.get(word):
        return short
    if "'" not in word:
        return (word,)
    if word.endswith("n't"):
        return word[:-3], "not"
    head, _, ending = word.partition("'")
    return head, _ENDINGS.get(ending, ending)


def _punctuation(mark: str) -> str:
    if mark[0] in ".!?\u2026\u3002":
        return "?" if "?" in mark else ENDS
    return COLON if mark == COLON else PAUSE
