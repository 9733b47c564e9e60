r"""Where a completion states its final answer, found in linear time.

`<answer>`, then the last `\boxed{}`, then `####`, then "the answer is", then the last number.
Only text after the thinking counts. No pattern backtracks over the text of the model: marks are
found from the end, and phrases and numbers in the last few thousand characters only.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["final_answer"]

_TAIL: Final = 4000

_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_PHRASE: Final = re.compile(
    r"\banswer\s{0,8}(?:is|:|=)\s{0,8}(?:therefore|thus)?\s{0,8}:?[\s*]{0,8}", re.IGNORECASE
)
_CLAUSE_END: Final = re.compile(
    r"\.\s|\n|<\||,?\s(?:because|since|as|which|so|given)\b", re.IGNORECASE
)
_NUMBER: Final = re.compile(
    r"""(?<![\w.)}])[-+\u2212]?[$£€]?                                     # sign and currency
        (?: \\[dtc]?frac\{[^{}]{1,40}\}\{[^{}]{1,40}\}
          | (?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+) (?:\.\d+)? (?:[eE][-+]?\d+)? (?:/\d+)?
          | \.\d+ )
        (?:\\?%)?""",
    re.VERBOSE | re.ASCII,
)


def final_answer(text: str, *, last_number: bool) -> str | None:
    """The stated answer as written; None when there is none, or the last one is not complete.

    Args:
        text: a completion, or a reference, which may be a whole solution.
        last_number: whether the last number counts when nothing else states an answer.
    """
    thought = text.rfind("</think>")
    if text.rfind("<think>") > thought:
        return None  # cut off while it was thinking
    text = text[thought + 8 :] if thought >= 0 else text
    start = text.rfind("<answer>")
    if start >= 0:
        return _in_answer_tag(text, start)
    for find in (_boxed, _after_marker):
        found = find(text)
        if found is not None:
            return found.strip() or None
    return _after_phrase(text) or (_last_number(text) if last_number else None)


def _in_answer_tag(text: str, start: int) -> str | None:
    closed = text.rfind("</answer>")
    if 0 <= closed < start:  # what opened after the last complete tag was cut off
        start = text.rfind("<answer>", 0, closed)
    inside = text[start + 8 : closed] if closed > start else text[start + 8 :]
    found = _boxed(inside)
    return (inside if found is None else found).strip() or None


def _boxed(text: str) -> str | None:
    """What is in the last box; "" when the box does not close, None without any."""
    start = max(text.rfind("\\boxed{"), text.rfind("\\fbox{"))
    return None if start < 0 else _braced(text, text.index("{", start))


def _braced(text: str, start: int) -> str:
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if depth == 0 and brace.group() == "}":
            return text[start + 1 : brace.start()]
    return ""


def _after_marker(text: str) -> str | None:
    start = text.rfind("####")
    if start < 0:
        return None
    line, _, _ = text[start + 4 :].lstrip().partition("\n")
    return line


def _after_phrase(text: str) -> str | None:
    tail = text[-_TAIL:]
    stated = None
    for stated in _PHRASE.finditer(tail):  # noqa: B007 - the last one counts
        pass
    if stated is None:
        return None
    return _CLAUSE_END.split(tail[stated.end() :], maxsplit=1)[0].strip() or None


def _last_number(text: str) -> str | None:
    tail = text[-_TAIL:]
    cut = len(tail) < len(text)
    found = [match for match in _NUMBER.finditer(tail) if not (cut and match.start() == 0)]
    return found[-1].group() if found else None
