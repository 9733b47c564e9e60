"""How sure a completion says it is: the last confidence that it states.

Confidence: 85%     "confidence": 0.85     I am 90% sure     certainty of 7 out of 10
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["stated_confidence"]

_TAIL: Final = 4_000  # confidence is stated at the end
_NUMBER: Final = r"(?<![-\d.,])(\d{1,4}(?:\.\d{1,6})?|\.\d{1,6})(?![\d.,]*\d)"
_OF: Final = r"\s{0,2}(?:(%|percent\b)|(?:/|out\s{1,2}of)\s{0,2}(\d{1,4})\b)?"
_STATISTICS: Final = r"(?!\s{1,4}(?:intervals?|bounds?|bands?|regions?)\b)"
_NOUN: Final = rf"\b(?:confidence|certainty|probability|likelihood)\b{_STATISTICS}"
_BEHIND: Final = re.compile(rf"{_NOUN}[^\d\n]{{0,40}}?{_NUMBER}{_OF}", re.IGNORECASE)
_BEFORE: Final = re.compile(
    rf"{_NUMBER}{_OF}\s{{0,2}}(?:\b(?:confident|certain|sure)\b|{_NOUN})", re.IGNORECASE
)


def stated_confidence(text: str) -> float | None:
    """The last confidence stated in the last 4,000 characters, in [0, 1]; None where none is.

    A number with % or "out of" is a share of that; a bare one up to 1 is a share, above a
    percentage. What lies outside [0, 1] is no confidence.
    """
    tail = text[-_TAIL:]
    found = [match for pattern in (_BEHIND, _BEFORE) for match in pattern.finditer(tail)]
    for match in sorted(found, key=lambda match: match.end(), reverse=True):
        value = _share(float(match[1]), percent=match[2] is not None, out_of=match[3])
        if 0 <= value <= 1:
            return value
    return None


def _share(number: float, *, percent: bool, out_of: str | None) -> float:
    if out_of is not None:
        return number / float(out_of) if float(out_of) else -1.0
    return number / 100 if percent or number > 1 else number
