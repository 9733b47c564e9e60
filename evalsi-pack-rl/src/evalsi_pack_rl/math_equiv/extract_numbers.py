r"""The last number of a text that states its answer in no other way.

Passed over are a refused number ("7, not 8"), one in a remark or a reason ("18 (9 each)"), and that
of a step. A run of numbers is one answer, and so is a pair.
"""

from __future__ import annotations

import re
from typing import Final

from evalsi_pack_rl.math_equiv.extract_spans import span_around
from evalsi_pack_rl.math_equiv.extracted import Extracted

__all__ = ["last_number"]

_CHUNK: Final = 500
_BEHIND: Final = 40
_BEFORE: Final = 80
_NEXT: Final = 24
_MOST_SKIPPED: Final = 4

_NUMBER_TEXT: Final = r"""
    [-+\u2212]?[$£€]?
    (?: (?:\d{1,4}\ ?)?\\[dtc]?frac\{[^{}]{1,40}\}\{[^{}]{1,40}\}
      | \d{1,3}(?:,\d{3})+(?![\d,]*\d)(?:\.\d+)?
      | \d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d.,/]|\ \d)
      | \d{1,2}:\d\d(?![\d:])
      | \d{1,4}\ \d{1,2}/\d{1,2}(?!\d)
      | \d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?:/\d+)?
      | \.\d+ )
    (?:\\?%)?"""
_NUMBER: Final = re.compile(
    rf"(?<![A-Za-z0-9.)}}^])(?<![A-Za-z0-9)}}]_)(?<!\d:){_NUMBER_TEXT}", re.VERBOSE | re.ASCII
)
_RUN: Final = re.compile(r"[\s,;]+(?:and\s)?", re.ASCII)
_PAIR: Final = re.compile(r",?\s(?:and|or|to)\s", re.ASCII)
_SHORTEST_RUN: Final = 3

_REFUSED: Final = re.compile(
    r"(?:\bnot|n't|\bnever|\bcannot be|\brather than|\binstead of)\s+(?:be\s+)?[$\\(]{0,3}\Z"
    r"|\b(?:step|part|question|problem|case|page|figure|table|equation)\s+\Z",
    re.IGNORECASE,
)
_REFUSING: Final = frozenset(
    (
        *("not", "never", "be", "than", "of"),
        *("step", "part", "question", "problem", "case", "page", "figure", "table", "equation"),
    )
)
_WORD: Final = re.compile(r"[a-z]+")

_REMARK: Final = re.compile(r"\([^()\n]*(?:[A-Za-z]{2}|[*\u00d7\u00f7=]| [-+/x] )[^()\n]*")
_REMARK_ALONE: Final = re.compile(r"\([^()\n=]*[A-Za-z]{2,} [A-Za-z]{2,}[^()\n=]*")
_REASON: Final = re.compile(r"[^.\n]{0,40},?\s(?:since|because)\s[^.\n]{0,80}")


def last_number(text: str) -> Extracted | None:
    """The last number that may be an answer; None without any."""
    last = max(map(text.rfind, "0123456789"))
    if last < 0:
        return None
    start, end = max(0, last - _CHUNK), min(len(text), last + _BEHIND)
    # A number that begins where the search begins may be the rest of a longer one.
    found = [one for one in _NUMBER.finditer(text, start, end) if not 0 < start == one.start()]
    for _ in range(min(_MOST_SKIPPED, len(found))):
        if not _passed_over(text, found[-1], found[:-1]):
            break
        found.pop()
    return Extracted(_taken(text, found), "number", "") if found else None


def _passed_over(text: str, number: re.Match[str], earlier: list[re.Match[str]]) -> bool:
    before = text[max(0, number.start() - _BEFORE) : number.start()]
    near = before[-_NEXT:].casefold()  # the whole pattern costs more than most texts need
    is_likely = "n't" in near or not _REFUSING.isdisjoint(_WORD.findall(near))
    if is_likely and _REFUSED.search(before):
        return True
    if not earlier:
        return False
    if _REASON.fullmatch(text, earlier[-1].end(), number.start()):
        return True
    begin = number.start() - len(before) + before.rfind("(")
    outside = [one.end() for one in earlier if one.end() <= begin]
    if "(" not in before or not outside or text[begin - 1] not in " \n":
        return False
    remark = _REMARK_ALONE if "\n" in text[outside[-1] : begin] else _REMARK
    closed = text.find(")", number.end(), number.end() + _BEFORE)
    return closed > 0 and remark.fullmatch(text, begin, closed) is not None


def _taken(text: str, found: list[re.Match[str]]) -> str:
    """The last number with the others that are listed with it, or with what it is part of."""
    run = len(found) - 1
    while run and _RUN.fullmatch(text, found[run - 1].end(), found[run].start()):
        run -= 1
    last = found[-1]
    begin, end = span_around(text, *last.span())
    if (begin, end) != last.span():
        return text[begin:end]
    if len(found) - run >= _SHORTEST_RUN:
        return text[found[run].start() : end]
    if len(found) > 1 and _PAIR.fullmatch(text, found[-2].end(), last.start()):
        return text[found[-2].start() : end]
    return last.group()
