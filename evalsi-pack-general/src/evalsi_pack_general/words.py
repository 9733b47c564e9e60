"""Words of a text in any script, for counting what two texts share.

Letters, digits and marks in a row are a word; an ideograph, a kana or a letter of a script written
without spaces is one by itself; so is any other sign. Case does not count.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Final

from evalsi_pack_general.marks import mark_class

__all__ = ["words_of"]

# Thai to Burmese, Khmer, kana, ideographs: written without spaces.
_ALONE: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)


def words_of(text: str) -> Iterator[str]:
    """The words, one after another, as they are asked for."""
    return (found[0].casefold() for found in _words().finditer(text))


@functools.cache
def _words() -> re.Pattern[str]:
    marks = rf"[{mark_class()}\u200c\u200d]"
    run = rf"(?:(?![{_ALONE}])\w|{marks})+"
    return re.compile(rf"[{_ALONE}]{marks}*|{run}|[^\w\s]")
