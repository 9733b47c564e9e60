"""Two spellings of one answer made equal: Unicode, case, white space, articles, punctuation.

Every step takes time linear in the text, whatever the text.
"""

from __future__ import annotations

import functools
import re
import string
import unicodedata
from typing import Final

from pydantic import Field

from evalsi_pack_general.answers import AnswerParams
from evalsi_pack_general.marks import stream_safe

__all__ = ["NormalParams", "nfkc", "normalised"]

_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)
_UNSEEN: Final = dict.fromkeys(map(ord, "\u200b\u2060\ufeff"), " ")  # `split` takes them as letters


class NormalParams(AnswerParams):
    """Which differences between the answer and what is expected do not count."""

    nfkc: bool = Field(
        default=True,
        description="Compare in Unicode's form NFKC: full-width letters, ligatures, accents.",
    )
    fold_case: bool = Field(default=True, description="Case does not count.")
    fold_white_space: bool = Field(
        default=True,
        description="A run of white space counts as one space, and as none at both ends.",
    )
    drop_articles: bool = Field(default=False, description="`a`, `an` and `the` do not count.")
    drop_punctuation: bool = Field(default=False, description="Punctuation does not count.")


def normalised(text: str, params: NormalParams) -> str:
    """The text without the differences that do not count."""
    if params.nfkc:
        text = nfkc(text)
    if params.fold_case:
        text = text.casefold()
        text = nfkc(text) if params.nfkc else text  # folding may take letters apart
    if params.drop_punctuation:
        text = text.translate(_punctuation())
    if params.drop_articles:
        text = _ARTICLES.sub(" ", text)
    if params.fold_white_space:
        text = " ".join(text.translate(_UNSEEN).split())
    return text


def nfkc(text: str) -> str:
    """Unicode's form NFKC, in linear time."""
    return text if text.isascii() else unicodedata.normalize("NFKC", stream_safe(text))


@functools.cache
def _punctuation() -> dict[int, None]:
    points = (
        point
        for point in range(0x80, 0x20000)  # beyond are ideographs and tags
        if unicodedata.category(chr(point)).startswith("P")
    )
    return dict.fromkeys((*map(ord, string.punctuation), *points))
