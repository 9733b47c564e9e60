r"""Letters of multiple choice: `(A)`, `A.`, `\text{(A)}`, `A) 12`, `Option A`, `B, D`.

The letter decides. Two letters or more are a set of choices; "or" between them is a hedge.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["Choice", "choice", "letters"]

_FIRST: Final = r"[A-J]"
_ALONE: Final = re.compile(rf"(?:[Oo]ption |[Cc]hoice )?(\(?)({_FIRST}|(?<=\()[a-j])(\)?)[.:]?")
_WITH_CONTENT: Final = re.compile(
    rf"(?:\(({_FIRST})\)(?:[:.] ?| )(?=[\w\\({{$.])|({_FIRST})(?:\)[:.]? ?| ?[.:] ))(\S.*)",
    re.DOTALL,
)
_OTHER_CHOICE: Final = re.compile(
    rf"(?:or|and|nor|not|is|vs)\b|.*(?<![A-Za-z0-9])(?:\({_FIRST}\)|{_FIRST}\)|or {_FIRST}\b)",
    re.DOTALL,
)
_SEVERAL: Final = re.compile(r"[A-J](?:(?: ?[,;&] ?(?:and )?| and | )[A-J])+")
_GLUED: Final = re.compile(r"[A-J]{2,10}")
_BRACKETED: Final = re.compile(r"\(([A-J])\)")


class Choice(NamedTuple):
    """A letter, and what stood behind it."""

    letter: str
    content: str


def choice(text: str) -> Choice | None:
    """The choice that a cleaned text states; None when it states none."""
    alone = _ALONE.fullmatch(text)
    if alone:
        return Choice(alone[2].upper(), "") if bool(alone[1]) <= bool(alone[3]) else None
    full = _WITH_CONTENT.fullmatch(text)
    if full is None or _OTHER_CHOICE.match(full[3]):
        return None
    return Choice(full[1] or full[2], full[3])


def letters(text: str, *, glued: bool) -> frozenset[str] | None:
    """The letters that a cleaned text lists; None when it is no such list.

    Args:
        text: the text.
        glued: whether `BD` is `B, D`: only beside a list.
    """
    text = _BRACKETED.sub(r"\1", text)
    if _SEVERAL.fullmatch(text) or (glued and _GLUED.fullmatch(text)):
        found = [character for character in text if character.isupper()]
        return frozenset(found) if len(set(found)) == len(found) else None
    return None
