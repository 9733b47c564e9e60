r"""Answers that are words, times of day, or a value behind a label: the text tier.

`Yes` is `yes`, `20th of June` is `June 20`, `no solutions` is `no solution`; `X` is not `x`, since
both may be variables. `6:30 PM` is `18:30`, and `6:30` where only one side has the half of the day.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["definite", "denies", "same_time", "text_key", "unlabelled", "unremarked"]

_LOOSE_SPACE: Final = re.compile(r"(?<!\w) | (?!\w)|(?<=\d) (?=[A-Za-z])")
_GROUPED: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!,?\d)")
_BRACKETS: Final = frozenset("([{")
_WORD: Final = re.compile(r"(?<![\\A-Za-z])(?:[A-Za-z]{3,}|[nN][oO])(?![A-Za-z])")
_ARTICLE: Final = re.compile(r"^(?:[Tt]he|[Aa]n?) (?=[A-Za-z]{3})")
_DATE: Final = re.compile(r"[A-Za-z]{3} \d|\d(?:st|nd|rd|th)? (?:of )?[A-Z]")
_DAY_FIRST: Final = re.compile(
    r"\b(\d{1,2}) (?:of )?(January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\b"
)
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_IN_FULL: Final = {"dne": "does not exist", "d.n.e": "does not exist"}
_SHORTEST_PLURAL: Final = 5
_LONGEST_REMARKED: Final = 1000

_TIME: Final = re.compile(r"(\d{1,2}):(\d\d)(?: ?([AaPp])\.? ?[Mm]\.?)?", re.ASCII)

_LABEL: Final = re.compile(
    r"(?P<label>[A-Za-z][A-Za-z' ]{0,60}?)(?:\s?:\s|\s(?:is|are|equals)\s)(?P<value>.+)", re.DOTALL
)
_REMARK: Final = re.compile(r"(?P<value>.*[\w})$%]) \((?P<remark>[A-Za-z][^()]{2,80})\)")
_VAGUE: Final = re.compile(
    r"(?:~|\u2248|\\approx(?![a-z])|\\sim(?![a-z])|(?:about|approximately|approx|around|roughly|nearly"
    r"|almost)(?![A-Za-z])\.?) ?",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"(?P<label>[A-Za-z\\][A-Za-z0-9\\_{}() '|]{0,60}) ?= ?(?P<value>[^=<>]+)"
)
_WORDS: Final = re.compile(r"[a-z]+")
_DENIALS: Final = frozenset(
    [
        *("no", "not", "none", "never", "neither", "nor", "cannot", "without", "unlike"),
        *("false", "wrong", "or", "if", "either", "maybe", "approximately", "roughly", "approx"),
    ]
)


def text_key(text: str) -> str:
    """What equal texts share: words in any case and number, no space that parts nothing."""
    if not _BRACKETS.intersection(text):  # where `1,250` is one number and `1, 250` are two
        text = _GROUPED.sub(lambda number: number.group().replace(",", ""), text)
    text = _IN_FULL.get(text.casefold(), text)
    text = _ARTICLE.sub("", text, count=1)
    if _DATE.search(text):
        text = _DAY_FIRST.sub(r"\2 \1", _ORDINAL.sub("", text), count=1)
    return _LOOSE_SPACE.sub("", _WORD.sub(lambda word: _singular(word.group()), text))


def same_time(one: str, other: str) -> bool | None:
    """Whether two times of day are the same; None when one of them is no time of day."""
    first, second = _TIME.fullmatch(one), _TIME.fullmatch(other)
    if first is None or second is None:
        return None
    if bool(first[3]) == bool(second[3]):
        return _minutes(first) == _minutes(second)
    suffixed, bare = (first, second) if first[3] else (second, first)
    return _minutes(bare) in {_minutes(suffixed), int(suffixed[1]) * 60 + int(suffixed[2])}


def unlabelled(text: str) -> str | None:
    """The value behind a label: `5` of `Total: 5` and of `AB = 5`; None without a label."""
    found = _NAMED.fullmatch(text) or _LABEL.match(text)
    return None if found is None or denies(found["label"]) else found["value"].strip()


def denies(label: str) -> bool:
    """Whether words before a value deny it, doubt it or offer another: `not`, `either`."""
    return not _DENIALS.isdisjoint(_WORDS.findall(label.casefold()))


def unremarked(text: str) -> str | None:
    """The value before a remark: `18` of `18 (rounded from 17.6)`; None without a remark."""
    found = _REMARK.fullmatch(text[:_LONGEST_REMARKED])
    if found is None or len(text) > _LONGEST_REMARKED:
        return None
    words = found["remark"].casefold().replace(",", " ").split()
    return found["value"] if len(words[0]) > 1 and _DENIALS.isdisjoint(words) else None


def definite(text: str) -> str | None:
    """What stands behind a mark of approximation: `18` of `~18`; None without one."""
    vague = _VAGUE.match(text)
    return text[vague.end() :] if vague else None


def _singular(word: str) -> str:
    word = word.casefold()
    plural = len(word) >= _SHORTEST_PLURAL and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word


def _minutes(time: re.Match[str]) -> int:
    hour = int(time[1])
    if time[3]:
        hour = hour % 12 + 12 * (time[3] in "pP")
    return hour * 60 + int(time[2])
