r"""Answers without what is only their typesetting: LaTeX spacing, `$` around mathematics, `**`.

White space is collapsed, and nothing is deleted that stands between two characters of a value.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["cleaned", "trimmed"]

_SPELLINGS: Final = str.maketrans(
    {
        "\u2212": "-",
        "\u2013": "-",
        # Invisible characters: what they part must not become one number.
        **dict.fromkeys("\0\u00a0\u2009\u202f\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", " "),
        **dict.fromkeys("\u202a\u202b\u202c\u202d\u202e", " "),
    }
)
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED: Final = re.compile("(?<=[^\\s⁰¹²³⁴⁵⁶⁷⁸⁹])[⁰¹²³⁴⁵⁶⁷⁸⁹]+")

_DELIMITERS: Final = re.compile(r"(?<!\\)\\[()\[\]]")
_STOPS: Final = ".,;: \u3002\\!"
_BEHIND: Final = re.compile(r"(?:[.,;: \u3002]|\\[\\,;:! ])*\\?\Z")
_LONGEST_STOP: Final = 16
_BOLD: Final = re.compile(r"(?<!\S)\*\*(?=\S)|(?<=\S)\*\*(?!\S)")
_EMPHASIS: Final = re.compile(r"([*_`]{1,3})([^*_`]+)\1")

_WRAPPED: Final = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mbox|underline|boxed|fbox|operatorname)"
    r"\s?\{([^{}]*)\}"
)
_COMMA: Final = re.compile(r"\{,\}|,\\!")
_NOISE: Final = re.compile(
    r"(?<!\\)\\[,!;: ]|\\(?:q?quad|displaystyle|left|right|[bB]igg?[lr]?)(?![A-Za-z])|(?<=\S)~"
)
_FRAC: Final = re.compile(r"\\[dtc]frac")
_BRACED_POWER: Final = re.compile(r"\^ ?\{ ?(-?\w) ?\}")
_PERCENT: Final = re.compile(r"(?<=\d) {0,3}(?:\\%|(?:percent(?:age(?! points))?|per cent|pct)\b)")
_DEGREES: Final = re.compile(r"(?:\^ ?\{? ?\\circ ?\}?|\u00b0|\\degree\b) ?(?:([CF])\b)?")
_SCALE: Final = {"C": " celsius ", "F": " fahrenheit ", None: " degrees "}


_QUOTES: Final = ('"', "'", "\u201c", "\u2018")
_QUOTED: Final = re.compile(
    r"[\"'\u201c\u2018]([^\"'\u201c\u201d\u2018\u2019]+)[\"'\u201d\u2019]\.?"
)
_COLOURED: Final = re.compile(r"\\(?:text)?color\{\w{1,20}\} ?\{(.*)\}", re.DOTALL)
_SPACING: Final = re.compile(r"\\[hv]space\*?\{[^{}]{0,20}\}")
_TIMES: Final = re.compile(r"(?<=[\d)]) x (?=[\d($])")
_CALCULATED: Final = re.compile(r"<<[^<>]{1,80}>>")
_RATIO: Final = re.compile(r"\A\s*(\d{1,9}) to (\d{1,9})\s*\Z", re.ASCII)
_RAISED_O: Final = re.compile(r"(?<=\d) ?\^ ?(?:o(?![A-Za-z])|\{o\})")
_EMPTY: Final = re.compile(r"(?<=\d)\{\}\Z|\A\{\}(?=\d)")
_PICTURES: Final = re.compile(
    # Pictures behind an answer, but none that denies or doubts it.
    r"(?:\s?(?![\U0001f44e\U0001f6ab\U0001f51f\U0001f914\U0001f937])"
    r"[\u25a0\u220e\u2600-\u2716\u2719-\u274b\u2b50\U0001f300-\U0001faff]\ufe0f?){1,8}\Z"
)
_UNION: Final = re.compile(r"(?<=[)\]]) ?U ?(?=[(\[])")
_INFINITE: Final = re.compile(r"(?<![A-Za-z\\])[iI]nf(?:inity)?(?= ?[,)\]])")
_AND_PART: Final = re.compile(r"(?<=\d) and (?=\d{1,9}/\d|\\frac)")


def trimmed(text: str) -> str:
    r"""The text as a formula: no `$`, `\[` or `**` around it, no stop behind it, single spaces."""
    if text.isalnum() and text.isascii():
        return text
    if not text.isascii() or "\0" in text:
        text = text.translate(_SPELLINGS)
        text = _RAISED.sub(lambda raised: f"^{{{raised.group().translate(_SUPERSCRIPTS)}}}", text)
    text = _in_commands(text)
    if "$" in text:
        text = _undollared(text)
    if "<<" in text:
        text = _CALCULATED.sub("", text)
    text = " ".join(text.split())
    if "{}" in text:
        text = _EMPTY.sub("", text)
    if text.startswith(("=", ":")):
        text = text[1:].lstrip()
    if "*" in text or "_" in text or "`" in text:
        text = _plain(_unstopped(text))
    quoted = _QUOTED.fullmatch(text) if text[:1] in _QUOTES else None
    text = _unstopped(quoted[1] if quoted else text)
    return _unstopped(_PICTURES.sub("", text)) if text and text[-1] > "\u2000" else text


def _in_commands(text: str) -> str:
    """The text with what people type for a sign as LaTeX has it: `90^o`, ` U `, `inf`, ` x `."""
    if "\\" in text:
        text = _without_layout(text)
    if "^" in text:
        text = _RAISED_O.sub(r"^{\\circ}", text)
    if ")" in text or "]" in text:
        text = _INFINITE.sub(r"\\infty", _UNION.sub(r" \\cup ", text))
    if " x " in text:
        text = _TIMES.sub(r" \\times ", text)
    if " to " in text:
        text = _RATIO.sub(r"\1:\2", text)
    return text


def _without_layout(text: str) -> str:
    text = _DELIMITERS.sub(" ", text)
    if "space" in text:
        text = _SPACING.sub(" ", text)
    coloured = _COLOURED.fullmatch(text.strip()) if "color" in text else None
    return coloured[1] if coloured else text


def cleaned(text: str) -> str:
    """A trimmed text in one spelling of its numbers, units and words."""
    if "\\" in text:
        text = _NOISE.sub(" ", _COMMA.sub(",", _WRAPPED.sub(r" \1 ", text)))
        text = _FRAC.sub(r"\\frac", text)
    if "~" in text:
        text = _NOISE.sub(" ", text)
    if "\\" in text or "\u00b0" in text:
        text = _DEGREES.sub(lambda sign: _SCALE[sign[1]], text)
    if "^" in text:
        text = _BRACED_POWER.sub(r"^\1", text)
    if "%" in text or "per" in text or "pct" in text:
        text = _PERCENT.sub("%", text).replace("\\%", "%")
    text = " ".join(text.split())
    return _unstopped(_AND_PART.sub(" ", text) if " and " in text else text)


def _unstopped(text: str) -> str:
    """The text without stops, spaces and line breaks behind it; `!` may be a factorial."""
    if not text or text[-1] not in _STOPS:
        return text
    behind = _BEHIND.search(text, max(0, len(text) - _LONGEST_STOP))
    return text[: behind.start()] if behind else text


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
