r"""Where a completion states its final answer, found in linear time.

The last `\boxed{}` or `<answer>`, then `####`, then "the answer is", then what a completion without
any of them ends with. Only text after the thinking counts. No pattern backtracks over the text of
the model: marks are found from the end, and patterns see a bounded number of characters.
"""

from __future__ import annotations

from typing import Final

from evalsi_pack_rl.math_equiv.extract_boxes import boxed, last_box
from evalsi_pack_rl.math_equiv.extract_endings import ending
from evalsi_pack_rl.math_equiv.extract_phrases import after_marker, after_phrase
from evalsi_pack_rl.math_equiv.extracted import Extracted

__all__ = ["extract"]

_THOUGHT: Final = "</think>"
_TAG: Final = "<answer>"
_TAG_END: Final = "</answer>"
_ALTERNATIVE: Final = 24

_UNCLOSED_THINK: Final = Extracted(None, "think", "unclosed-think")
_EMPTY_TAG: Final = Extracted(None, "tag", "empty-answer")
_HEDGED: Final = Extracted(None, "tag", "hedged")
_NOTHING: Final = Extracted(None, "", "no-answer")


def extract(text: str, *, last_number: bool) -> Extracted:
    """The stated answer as written, or why there is none.

    Args:
        text: a completion, or a reference, which may be a whole solution.
        last_number: whether the ending of the text counts (its last number, its closing
            mathematics, or a text that is nothing but an answer) when nothing states an answer.
    """
    tag = -1
    if "<" in text:  # most texts have no tag at all
        thought = text.rfind(_THOUGHT)
        if text.rfind("<think>") > thought:
            return _UNCLOSED_THINK
        if thought >= 0:
            text = text[thought + len(_THOUGHT) :]
        tag = text.rfind(_TAG)
    box = last_box(text)
    if tag >= 0 and box <= text.rfind(_TAG_END):
        return _in_tag(text, tag)
    if box >= 0:
        return boxed(text, box)
    found = after_marker(text) or after_phrase(text)
    if found is None and last_number:
        found = ending(text)
    return found or _NOTHING


def _in_tag(text: str, start: int) -> Extracted:
    """The answer in the last tag, which may hold a box; what is left open ends with the text."""
    closed = text.find("</", start)
    inside = text[start + len(_TAG) : closed if closed >= 0 else len(text)]
    if _is_alternative(text, start, inside):
        return _HEDGED
    box = last_box(inside)
    if box >= 0:
        return boxed(inside, box)
    found = after_marker(inside) or after_phrase(inside)
    if found is not None:
        return found
    answer = inside.strip()
    return Extracted(answer, "tag", "") if answer else _EMPTY_TAG


def _is_alternative(text: str, start: int, inside: str) -> bool:
    """Whether "or" joins the tag with an earlier one that holds something else."""
    closed = text.rfind(_TAG_END, max(0, start - _ALTERNATIVE), start)
    if closed < 0 or text[closed + len(_TAG_END) : start].strip(" \n,;.*").casefold() != "or":
        return False
    opened = text.rfind(_TAG, 0, closed)
    return text[opened + len(_TAG) : closed].strip() != inside.strip()
