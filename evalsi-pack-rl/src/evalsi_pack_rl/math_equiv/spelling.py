r"""Answers without what is only their typesetting: LaTeX spacing, `$` around mathematics, `**`.

White space is collapsed, and nothing is deleted that stands between two characters of a value.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["cleaned", "text_key"]

_SPELLINGS: Final = str.maketrans(
    {
        "\u2212": "-",
        "\u2013": "-",
        # Invisible characters: what they part must not become one number.
        **dict.fromkeys("\0\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", " "),
        **dict.fromkeys("\u202a\u202b\u202c\u202d\u202e", " "),
    }
)
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED: Final = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")

_WRAPPED: Final = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mbox)\s?\{([^{}]*)\}")
_COMMA: Final = re.compile(r"\{,\}|,\\!")
_NOISE: Final = re.compile(
    r"(?<!\\)\\[,!;: ]|\\(?:quad|displaystyle|left|right)(?![A-Za-z])|(?<!\\)\\[()\[\]]|~"
)
_BOLD: Final = re.compile(r"(?<!\S)\*\*(?=\S)|(?<=\S)\*\*(?!\S)")
_EMPHASIS: Final = re.compile(r"([*_`]{1,3})([^*_`]+)\1")
_STOPS: Final = ".,;: "
_FRAC: Final = re.compile(r"\\[dtc]frac")
_BRACED_POWER: Final = re.compile(r"\^ ?\{ ?(-?\w) ?\}")
_PERCENT: Final = re.compile(r"(?<=\d) ?(?:\\%|(?:percent|per cent)\b)")
_DEGREES: Final = re.compile(r"(?:\^ ?\{? ?\\circ ?\}?|\u00b0) ?(?:([CF])\b)?")
_SCALE: Final = {"C": " celsius ", "F": " fahrenheit ", None: " degrees "}

_LETTER: Final = re.compile(r"\(([A-Za-z])\)")
_LOOSE_SPACE: Final = re.compile(r"(?<!\w) | (?!\w)|(?<=\d) (?=[A-Za-z])")

_GROUPED: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!,?\d)")
_BRACKETS: Final = frozenset("([{")


def cleaned(text: str) -> str:
    """The text in one spelling, with single spaces."""
    if text.isalnum() and text.isascii():
        return text
    text = text.translate(_SPELLINGS)
    text = _RAISED.sub(lambda raised: f"^{{{raised.group().translate(_SUPERSCRIPTS)}}}", text)
    text = _NOISE.sub(" ", _COMMA.sub(",", _WRAPPED.sub(r" \1 ", text)))
    text = _FRAC.sub(r"\\frac", _undollared(text))
    text = _DEGREES.sub(lambda sign: _SCALE[sign[1]], text)
    text = _BRACED_POWER.sub(r"^\1", _PERCENT.sub("%", text).replace("\\%", "%"))
    return _plain(" ".join(text.split()).rstrip(_STOPS)).rstrip(_STOPS)


def text_key(text: str) -> str:
    """What equal texts share: letters in any case, and no space that parts nothing."""
    letter = _LETTER.fullmatch(text)
    text = letter.group(1) if letter else text
    if not _BRACKETS.intersection(text):  # where `1,250` is one number and `1, 250` are two
        text = _GROUPED.sub(lambda number: number.group().replace(",", ""), text)
    return _LOOSE_SPACE.sub("", text).casefold()


def _plain(text: str) -> str:
    """The text without Markdown; `2**3` is a power, and `x*` the name of an optimum."""
    text = _BOLD.sub("", text)
    emphasised = _EMPHASIS.fullmatch(text)
    return (emphasised[2] if emphasised else text).strip()


def _undollared(text: str) -> str:
    r"""The text without `$` that encloses mathematics; `\$`, and `$` without a pair, are money."""
    bare = text.replace("\\$", "\0")
    if bare.count("$") % 2 == 0:
        bare = bare.replace("$", " ")
    return bare.replace("\0", "$")
