"""The answer behind a mark in prose: `#### x`, "the answer is x", "Final Answer" and a new line.

The last mention counts that is followed by something; a mention such as "I hope this answer helps"
is passed over. The answer ends with its sentence, or where a reason for it begins.
"""

from __future__ import annotations

import re
from typing import Final

from evalsi_pack_rl.math_equiv.extract_numbers import last_number
from evalsi_pack_rl.math_equiv.extracted import Extracted

__all__ = ["after_marker", "after_phrase"]

_MARKER: Final = "####"
_MENTIONS: Final = ("answer", "Answer", "ANSWER")
_MOST_MENTIONS: Final = 16
_LONGEST: Final = 100_000
_LONGEST_CLAUSE: Final = 5000

_CUE: Final = re.compile(
    r"""answers?  (?:\s(?:to|for|of)\s[^.\n:=]{1,60}?)?  [*_]{0,3}
        (?: \s{0,8} (?:is|are|:|=|(?:would|should|must|will)\sbe) (?![A-Za-z])
            \s{0,8} (?:therefore|thus|simply|just|exactly|indeed|definitely|certainly|clearly)?
            \s{0,8} [:*_]{0,4} \s{0,8}
          | (?<=[nN][sS][wW][eE][rR]) [*_]{0,3} [ ]{0,8} \n [\s*_]{0,8} )""",
    re.VERBOSE | re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"answers?\s(?:can(?:no|')t|(?:is|was|wo)n't|(?:could|should|must|will)\s(?:not|never))\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(r"(?:not|n't|never)\s+[-+$\\(\[]{0,3}\d", re.IGNORECASE)
_CLAUSE_END: Final = re.compile(
    r"(?<!\bmr)(?<!\bmrs)(?<!\bdr)(?<!\bms)(?<!\bst)(?<!\bsq)(?<!\bcu)(?<![ap]\.m)(?<!\bapprox)"
    r"[.!?]\s|\n|<\||</|,?\s(?:because|since|as|which|so|given|where|but|and\s(?:not|that|this|it|we|thus|so)|not|rather)\b"
    r"|,\s(?:i\.e\.|that\sis\b|namely\b)|;\s(?:we|this|it|that|the|so|thus|hence|because|note|check|here|in|I)\s",
    re.IGNORECASE,
)
_LINE_END: Final = re.compile(r"\n|<\||</s>|</answer>")
_MATH: Final = re.compile(r"(\$\$?)([^$]{1,400})\1|\\\(.{1,400}?\\\)|\\\[.{1,400}?\\\]", re.DOTALL)
_FEW_WORDS: Final = 4

_EMPTY: Final = Extracted(None, "marker", "empty-answer")
_NEGATIVE: Final = Extracted(None, "phrase", "negated")


def after_marker(text: str) -> Extracted | None:
    """The line behind the last `####`; None without any, or when it is the title of a section."""
    start = text.rfind(_MARKER)
    if start < 0:
        return None
    line, _, rest = text[start + 4 : start + 4 + _LONGEST].lstrip().partition("\n")
    answer = _LINE_END.split(line, maxsplit=1)[0].strip()
    if not answer:
        return _EMPTY
    if answer[:3].isalpha() and rest.strip(" \n*") and not rest.lstrip().startswith("<|"):
        return None
    return after_phrase(answer) or Extracted(answer, "marker", "")


def after_phrase(text: str) -> Extracted | None:
    """What follows the last "the answer is", to the end of the sentence; None without any."""
    places = [text.rfind(mention) for mention in _MENTIONS]
    for _ in range(_MOST_MENTIONS):
        at = max(places)
        if at < 0:
            break
        if _DENIED.match(text, at):
            return _NEGATIVE
        cue = _CUE.match(text, at)
        answer = _clause(text, cue.end()) if cue and _begins_word(text, at) else ""
        if cue and cue.group().rstrip()[-1] in "*_":  # `*5*` was opened before the answer
            answer = answer.rstrip("*_. ")
        if answer.startswith("that "):
            return last_number(answer) or _NEGATIVE
        if answer:
            return _NEGATIVE if _NEGATED.match(answer) else Extracted(answer, "phrase", "")
        which = places.index(at)
        places[which] = text.rfind(_MENTIONS[which], 0, at)
    return None


def _begins_word(text: str, start: int) -> bool:
    return start == 0 or not text[start - 1].isalnum()


def _clause(text: str, start: int) -> str:
    math = _MATH.match(text, start)
    if math is None:
        end = _CLAUSE_END.search(text, start, start + _LONGEST_CLAUSE)
        return text[start : end.start() if end else start + _LONGEST_CLAUSE].strip()
    end = _CLAUSE_END.search(text, math.end(), math.end() + 200)
    behind = text[math.end() : end.start() if end else math.end() + 200]
    words = behind.casefold().split()
    if len(words) > _FEW_WORDS and "or" not in words:  # a sentence goes on, not the answer
        return math.group()
    return (math.group() + behind).strip()
