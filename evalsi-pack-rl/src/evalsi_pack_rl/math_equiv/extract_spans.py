r"""What a number in prose is part of, so that no part of an expression is taken for the answer.

`5y`, `2^5`, `12\pi`, `555-1234`, `3 + 4`, `(2, 5)`, `x \neq 5`, "3 million", "about 5": none of
them is its last number.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["span_around"]

_NEAR: Final = 120
_CLOSE: Final = 60
_NEXT: Final = 24
_MOST_TERMS: Final = 12

_LIST: Final = re.compile(r"[(\[{][^()\[\]{}A-Za-z\n]*,[^()\[\]{}A-Za-z\n]*\Z")
_CLOSED: Final = re.compile(r"\\?[)\]}]")
_GLUED_BEFORE: Final = re.compile(
    r"(?:\w-|[*+\u00b7\u00d7/^\u221a]|\w\(|\\[a-z]{1,10}(?:\[\d\])?\{)\Z"
)
_GLUED_BEHIND: Final = re.compile(
    r"[\u03b1-\u03c9\u221a^_*:\u00b2\u00b3]|\.\d|\\(?:pi|sqrt|cdot|times)(?![a-z])|!(?=\s+[a-z])"
    r"|[a-ceijnp-rt-zA-BD-EI-JX-Z](?![A-Za-z])"
)
_WORD_BEHIND: Final = re.compile(
    r" (?:hundred|thousand|million|billion|trillion|dozen|squared|cubed|halves|thirds|fourths"
    r"|quarters|fifths|pi|percent|factorial)\b"
)
_TERM: Final = (
    r"(?:[$€£]?(?<![A-Za-z\d.])"
    r"(?:\d[\w.,^()\u221a]{0,20}|[A-Za-z](?:[_^]\w{1,4})?|\([^()\n]{1,30}\))%?)"
)
_OPERATED: Final = re.compile(
    rf"{_TERM}\s?(?:[-+*/=\u2212\u00b7\u00d7\u00f7]|\b(?:mod|plus|minus|times|x)\b)\s?\Z"
)
_EQUATED: Final = re.compile(r"=\s?\Z")
_RELATED: Final = re.compile(
    r"(?<![<\w])[\w^{}+*-]{1,30}[\s$]{0,2}"
    r"(?:[\u2260\u2264\u2265<>]|[<>!]=|\\(?:ne|neq|le|leq|ge|geq|lt|gt)(?![a-z]))\s?\Z"
)
_BOUNDED: Final = re.compile(
    r"(?:(?:\b(?:greater|less|more|fewer) than|\babout|\bapproximately|\broughly|\baround)\s"
    r"|[\u2248~]\s?|\\approx\s?)\Z",
    re.IGNORECASE,
)
_PROSE: Final = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,} [A-Za-z]{2,}")


def span_around(text: str, begin: int, end: int) -> tuple[int, int]:
    """Where what the number belongs to begins and ends; the number itself where it stands alone."""
    formula = _formula(text, begin, end)
    if formula is not None:
        return formula
    before = text[max(0, begin - _NEAR) : begin]
    closed = _CLOSED.match(text, end)
    listed = _LIST.search(before) if closed else None
    if listed and closed:
        return begin - len(listed.group()), closed.end()
    near = before[-_NEXT:]
    is_word = near[-2:-1].isalnum() and near[-1:] == " " and "\\" not in before
    for found in (None if is_word else _RELATED.search(before), _BOUNDED.search(near)):
        if found:
            return begin - len(found.group()), end
    if _GLUED_BEFORE.search(near) or _GLUED_BEHIND.match(text, end):
        begin, end = _token(text, begin, end)
    word = _WORD_BEHIND.match(text, end)
    return _first_term(text, begin), word.end() if word else end


def _formula(text: str, begin: int, end: int) -> tuple[int, int] | None:
    r"""The inside of the `$...$` or `\(...\)` on this line that the number stands in."""
    line = text.rfind("\n", 0, begin) + 1
    for opening, closing in (("$", "$"), ("\\(", "\\)")):
        opened = text.rfind(opening, max(line, begin - _NEAR), begin + 1)
        closed = text.find(closing, end, end + _NEAR)
        if opened < 0 or closed < 0:
            continue
        start = opened + len(opening)
        if opening == "$" and text.count("$", line, opened) % 2:
            continue
        inside = text[start:closed]
        if start <= begin + 1 and "\n" not in inside and not _PROSE.search(inside):
            return start, closed
    return None


def _token(text: str, begin: int, end: int) -> tuple[int, int]:
    """The characters around the number up to the next spaces, without stops."""
    before = re.search(r"\S*\Z", text[max(0, begin - _CLOSE) : begin])
    behind = re.match(r"\S*", text[end : end + _CLOSE])
    head = before.group() if before else ""
    tail = behind.group().rstrip(".,;:") if behind else ""
    return begin - len(head), end + len(tail)


def _first_term(text: str, begin: int) -> int:
    """Where the sum or product begins that ends at `begin`; a value behind `=` is whole."""
    start = begin
    for _ in range(_MOST_TERMS):
        before = text[max(0, start - _CLOSE) : start]
        if start == begin and _EQUATED.search(before):
            return begin
        found = _OPERATED.search(before)
        if found is None:
            return start
        start -= len(found.group())
    return start
