r"""A text cut into tokens: numbers, commands, letters, operators; spacing and `\left` are dropped.

One regular expression that never steps back (its loops are possessive): time is linear in the text.
"""

from __future__ import annotations

import re
from typing import Final

from evalsi_pack_rl.math_equiv.syntax.spellings import latex_only
from evalsi_pack_rl.math_equiv.syntax.tree import NotParsed

__all__ = ["LONGEST", "tokens_of"]

LONGEST: Final = 2000
"""Characters beyond which no text is read."""

_NAMED = r"text(?:bf|it|rm|sf|sc|normal)?|[mh]box|math(?:rm|bf|it|sf)|operatorname\*?"
_SKIPPED = (
    r"\s|~|\\[,;:!> ()\[\]]|\\(?:left|right)\s*+\.|\\(?:left|right|middle|[bB]igg?[lrm]?|quad|qquad"
    r"|displaystyle|rm|bf|it|textstyle|limits|nolimits|hline|hfill|strut|thinspace|enspace)(?![A-Za-z])"
)
_MARKS = (",", r",\\!\s*+", r"\{,\}", r"\\,", r"\\!", r"\\;", r"\\ ", "'", " ", "~")
_GROUPED = "|".join(rf"(?:{mark}\d{{3}})++" for mark in _MARKS)
_NUMBER = (
    rf"(?<!\d,)[1-9]\d{{0,2}}(?:{_GROUPED})(?!,?\d)(?:\.\d++)?+"
    r"|\d*+\.\d*+\s*+\\(?:overline|bar|dot)\s*+\{\d++\}|\d++\.\(\d++\)"
    r"|\d*+\.\d++(?:\.\.\.|\\[lc]?dots(?![A-Za-z]))"
    r"|(?:\d++(?:\.\d++)?+|\.\d++)(?:[eE][+-]?\d++(?![A-Za-z0-9.]))?+"
)
_TOKEN: Final = re.compile(
    rf"(?:{_SKIPPED})*+("
    r"(?:\d[0-9A-F]{1,63}+|[A-F][0-9A-F]{1,63}+)(?=_)"
    rf"|{_NUMBER}"
    r"|[A-Za-z]\d++(?![A-Za-z0-9])|log(?:2|10)(?=\()|[A-Za-z]++"
    rf"|\\(?:{_NAMED})\s*+\{{[^{{}}]*+\}}|\\mathbb\s*+\{{[A-Z]\}}|\\(?:begin|end)\s*+\{{[A-Za-z]++\*?\}}"
    r"|\\[A-Za-z]++|\\\\(?:\[-?[\d.]++[a-z]{2}\])?+|\\."
    r"|\*\*|<=|>=|=<|==|<>|(?<![\d)}\]])!=|\.\.\.|\+/?-|\S|\Z)",
    re.DOTALL | re.ASCII,
)
_BREAKS = re.compile(r"\\(?:begin|end)\s*+\{(?:align|aligned|gather|gathered|split|equation)\*?\}")
_JOINTS: Final = {
    f"{before}{comma}{space}{word}{behind}}}": (*comma, word)
    for before in ("", " ")
    for comma in ("", ",")
    for space in ("", " ")
    for word in ("or", "and")
    for behind in ("", " ")
}
_DIGITS: Final = frozenset("0123456789")
_OPENING: Final = frozenset({"(", "[", "\\{", "{", "\\lbrace", "\\langle"})
_CLOSING: Final = frozenset({")", "]", "\\}", "}", "\\rbrace", "\\rangle"})


def tokens_of(text: str) -> list[str]:
    """The tokens, with empty texts at the end, so that looking ahead needs no care.

    Raises:
        NotParsed: `empty`, `too-long`, or `unknown-character` for digits that we do not read.
    """
    if len(text) > LONGEST:
        raise NotParsed("too-long")
    text = _undollared(latex_only(text))
    if not text.isascii() and any(map(str.isdigit, set(text) - _DIGITS)):
        raise NotParsed("unknown-character")
    if "\\begin" in text and _BREAKS.search(text):
        text = _BREAKS.sub(" ", text)
        text = text if "\\begin" in text else text.replace("&", " ")
    found: list[str] = _TOKEN.findall(text)
    if "}" in text or "\\\\[" in text:
        found = [part for token in found for part in _plain(token)]
    if "," in text and any("," in token and token[0].isdigit() for token in found if token):
        found = _parted(found)
    if not found[0]:
        raise NotParsed("empty")
    return [*found, "", "", ""]


def _undollared(text: str) -> str:
    r"""The text without `$` that encloses mathematics; `\$` and a lone `$` are money."""
    if "$" not in text:
        return text
    bare = text.replace("\\$", "\0")
    bare = bare.replace("$", " ") if bare.count("$") % 2 == 0 else bare.replace("$", "\0")
    return bare.replace("\0", "\\$")


def _plain(token: str) -> tuple[str, ...]:
    r"""The token, with `\text{ or }` as the plain word and `\\[2pt]` as a plain break."""
    if len(token) < 3 or token[0] != "\\":
        return (token,)
    if token[1] == "\\":
        return ("\\\\",)
    return _JOINTS.get(token.partition("{")[2], (token,)) if token[-1] == "}" else (token,)


def _parted(found: list[str]) -> list[str]:
    """The tokens with `1,234` as two numbers where it stands directly inside brackets."""
    parted: list[str] = []
    open_brackets: list[str] = []
    for token in found:
        if token in _OPENING:
            open_brackets.append(token)
        elif token in _CLOSING and open_brackets:
            open_brackets.pop()
        if "," in token and token[0].isdigit() and open_brackets and open_brackets[-1] != "{":
            parted += re.split("(,)", token) if "\\" not in token and "{" not in token else [token]
        else:
            parted.append(token)
    return parted
