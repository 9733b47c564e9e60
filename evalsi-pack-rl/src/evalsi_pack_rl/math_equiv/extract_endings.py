r"""What a completion ends with when nothing in it states an answer.

A chosen letter, a text that is nothing but an answer, closing mathematics, else the last number.
"""

from __future__ import annotations

import re
from typing import Final

from evalsi_pack_rl.math_equiv.extract_numbers import last_number
from evalsi_pack_rl.math_equiv.extracted import Extracted

__all__ = ["ending"]

_CHUNK: Final = 2000
_WHOLE: Final = 100
_CLOSING: Final = 400

_LETTER: Final = r"[*(]{0,3}[A-J]\b[*)]{0,3}"
_LETTERS: Final = rf"{_LETTER}(?:\s?(?:,|/|&|\bor\b|\band\b)\s?(?:option\s)?{_LETTER}){{0,9}}"
_CHOICE: Final = re.compile(
    r"\b(?:(?:[Oo]ption|[Cc]hoice)\s?(?:is:?|:)|[Cc]hoose|[Ss]elect|[Pp]ick)\s{1,4}"
    rf"(?:option\s|choice\s|answer\s)?(?P<letters>{_LETTERS})(?![A-Za-z'])",
    re.ASCII,
)
_OPTION: Final = re.compile(r"(?:option|choice) \(?[A-J]\)?", re.IGNORECASE)
_CHOSEN: Final = re.compile(
    rf"(?<![A-Za-z])(?P<letters>{_LETTERS})\s(?:is|are)\s(?:the\s)?(?:correct|right|best|answer)\b",
    re.ASCII,
)
_CHOICES: Final = (
    (_CHOICE, ("ption", "hoice", "hoose", "elect", "ick")),
    (_CHOSEN, ("correct", "right", "best", "answer")),
)
"""Patterns, each with the words of which it needs one: to look for those costs little."""

_SINGLE: Final = re.compile(r"[A-J]")
_INSTEAD: Final = re.compile(r"/|\bor\b")
_SENTENCE: Final = re.compile(r"(?<![A-Za-z])(?:so|is|hence|then|thus|since|because) ")
_NUMBERING: Final = re.compile(r"\A\d{1,2}\) (?=[A-Za-z])")
_DUMP: Final = re.compile(r"[-+]?\d[\d.]*(?:\s+[-+]?\d[\d.]*){2,}", re.ASCII)
_GROUPED: Final = re.compile(r"\d{1,3}(?: \d{3})+", re.ASCII)
_FOREIGN: Final = re.compile(r"<[/|A-Za-z]|[^\W\d_a-zA-Z\u0370-\u03ff]")
_WORD: Final = re.compile(r"(?<![\\A-Za-z])(?:[A-Za-z]{2,}|I(?= [a-z]))")
_PROSE: Final = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,} [A-Za-z]{2,}")
_TRAILERS: Final = " \n\t.*_"
_SPECIAL: Final = re.compile(r"(?:\s*<[|/][^<>\n]{1,40}>)+\s*\Z")

_HEDGED: Final = Extracted(None, "choice", "hedged")


def ending(text: str) -> Extracted | None:
    """What the text ends with, as an answer; None when it ends with none."""
    tail = text[-_CHUNK:]
    special = _SPECIAL.search(tail[-200:]) if ">" in tail[-8:] else None
    if special:
        text = text[: len(text) - len(special.group())]
        tail = text[-_CHUNK:]
    return _chosen(tail) or _whole(text) or _closing_math(tail) or last_number(text)


def _chosen(tail: str) -> Extracted | None:
    for pattern, words in _CHOICES:
        last = None
        if not any(word in tail for word in words):
            continue
        for last in pattern.finditer(tail):  # noqa: B007 - the last one counts
            pass
        if last is not None:
            letters = last["letters"]
            if _INSTEAD.search(letters):
                return _HEDGED
            return Extracted(", ".join(_SINGLE.findall(letters)), "choice", "")
    return None


def _whole(text: str) -> Extracted | None:
    answer = _NUMBERING.sub("", text[: _CHUNK + 1].strip(_TRAILERS).lstrip("#> "))
    if len(text) > _CHUNK or not answer or len(answer) > _WHOLE or "\n" in answer:
        return None
    if _FOREIGN.search(answer) or _SENTENCE.search(answer):
        return None
    if _DUMP.fullmatch(answer) and not _GROUPED.fullmatch(answer):
        return _HEDGED
    if _OPTION.fullmatch(answer):
        return Extracted(answer, "choice", "")
    words = [word.span() for word in _WORD.finditer(answer)]
    if len(words) > 1 or (words and words[0][0] == 0 and words[0] != (0, len(answer))):
        return None
    return Extracted(answer, "whole", "")


def _closing_math(tail: str) -> Extracted | None:
    text = tail.rstrip(_TRAILERS)
    for opening, closing in (("\\[", "\\]"), ("\\(", "\\)"), ("$$", "$$"), ("$", "$")):
        if text.endswith(closing):
            end = len(text) - len(closing)
            start = text.rfind(opening, max(0, end - _CLOSING), end)
            inside = text[start + len(opening) : end].strip()
            is_prose = opening == "$" and _PROSE.search(inside)  # `3$ and then 5$`
            return Extracted(inside, "math", "") if start >= 0 and inside and not is_prose else None
    return None
