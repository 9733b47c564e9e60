"""Text without what it quotes."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["quoted", "unquoted"]

_PAIRS: Final = {
    '"': '"',
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2039": "\u203a",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "'": "'",
    "\u2018": "\u2019",
    "`": "`",
}
"""What closes a quotation that a mark opens; a backtick quotes code."""

_MARK: Final = re.compile(f"[{''.join({*_PAIRS, *''.join(_PAIRS.values())})}]")
_APOSTROPHES: Final = "'\u2019"


def unquoted(text: str) -> str:
    """The text with each closed quotation left out; a mark that nothing closes stays."""
    return _split(text)[0]


def quoted(text: str) -> str:
    """What the text quotes, without the marks."""
    return _split(text)[1]


def _split(text: str) -> tuple[str, str]:
    last = {mark: _last(text, closing) for mark, closing in _PAIRS.items()}
    spoken: list[str] = []
    cited: list[str] = []
    closing, start = "", 0
    for found in _MARK.finditer(text):
        place, mark = found.start(), found[0]
        if closing:
            if mark in closing and _closes(text, place):
                cited.append(text[start + 1 : place])
                closing, start = "", place + 1
        elif last.get(mark, -1) > place and _opens(text, place):
            spoken.append(text[start:place])
            closing, start = _PAIRS[mark], place
    return " ".join([*spoken, text[start:]]), " ".join(cited)


def _last(text: str, closing: str) -> int:
    """The last place at which one of these marks closes."""
    places = (_last_closer(text, mark) for mark in closing)
    return max(places, default=-1)


def _last_closer(text: str, mark: str) -> int:
    place = text.rfind(mark)
    while place >= 0 and not _closes(text, place):
        place = text.rfind(mark, 0, place)
    return place


def _opens(text: str, place: int) -> bool:
    if text[place] not in "'`\u2018\u00bb":
        return True
    return not text[place - 1 : place].isalnum() and not text[place + 1 : place + 2].isspace()


def _closes(text: str, place: int) -> bool:
    if text[place] not in _APOSTROPHES:
        return True
    return not text[place + 1 : place + 2].isalnum() and not text[place - 1 : place].isspace()
