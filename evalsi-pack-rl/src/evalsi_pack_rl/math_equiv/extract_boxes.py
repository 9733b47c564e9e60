r"""The last `\boxed{}` or `\fbox{}`, and the boxes that belong to it.

A later box after prose is a correction, and the last one counts. Boxes that "and" or a comma joins
are the parts of one answer; different boxes that "or" or nothing joins are a hedge, and no answer.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from evalsi_pack_rl.math_equiv.extracted import Extracted

__all__ = ["boxed", "last_box"]

_MARKS: Final = (("\\", ("ed{", "ed {")), ("\\f", ("{", " {")))
"""What stands around `box` in a mark."""

_BRACE: Final = re.compile(r"\\[\\{}]|[{}]")

_LONGEST: Final = 100_000
"""Characters within which a box must close."""

_MOST_BRACES: Final = 20_000

_NEAR: Final = 2000
"""Characters back to an earlier box that may belong to the last one."""

_MOST_BOXES: Final = 32
_LONGEST_GAP: Final = 40

_NOT_WORDS: Final = str.maketrans(
    dict.fromkeys("$\\()[]*.:{}", " ")
    | {",": " , ", ";": " , ", "=": " = ", "/": " / ", "|": " / ", "~": " "}
)
_TOGETHER: Final = frozenset({",", "and", "&", "text", "quad", "qquad", "then", "also"})
_INSTEAD: Final = frozenset({"or", "/", "vs", "versus", "else", "either"}) | frozenset(
    {"maybe", "perhaps", "possibly", "alternatively", "otherwise"}
)

_MARKS_OF_LISTS: Final = frozenset({",", "and", "&"})

_UNCLOSED: Final = Extracted(None, "box", "unclosed-box")
_EMPTY: Final = Extracted(None, "box", "empty-box")
_HEDGED: Final = Extracted(None, "box", "hedged")


def last_box(text: str) -> int:
    """Where the last box begins; -1 without any."""
    return _last(text, 0, len(text))


def boxed(text: str, start: int) -> Extracted:
    """The answer in the box at `start`, which is the last one, with its neighbours."""
    end = _closing(text, start, _LONGEST)
    if end < 0:
        return _UNCLOSED
    inside = _inside(text, start, end)
    if not inside:
        return _EMPTY
    if _last(text, max(0, start - _NEAR), start) < 0:
        return Extracted(inside, "box", "")
    return _joined(*_group(text, start, end))


def _last(text: str, begin: int, end: int) -> int:
    at = text.rfind("box", begin, end)
    while at >= 0:
        for before, behind in _MARKS:
            start = at - len(before)
            fits = start >= begin and text.startswith(before, start)
            if fits and text.startswith(behind, at + 3, end):
                return start
        at = text.rfind("box", begin, at)
    return -1


def _inside(text: str, start: int, end: int) -> str:
    return text[text.index("{", start) + 1 : end].strip()


def _closing(text: str, start: int, limit: int) -> int:
    """Where the box at `start` closes; -1 when it does not within `limit` characters."""
    opened = text.index("{", start)
    end = text.find("}", opened)
    if end >= 0 and text.find("{", opened + 1, end) < 0 and text[end - 1] != "\\":
        return end if end - opened < limit else -1
    depth = 0
    for brace in islice(_BRACE.finditer(text, opened, opened + limit), _MOST_BRACES):
        if brace.group() == "{":
            depth += 1
        elif brace.group() == "}":
            depth -= 1
            if depth == 0:
                return brace.start()
    return -1


def _group(text: str, start: int, end: int) -> tuple[list[str], list[str], list[str]]:
    """What the neighbouring boxes hold, their names, and what joins them; the last one first."""
    inside, names, joints = [_inside(text, start, end)], [_name_before(text, start)], []
    for _ in range(_MOST_BOXES):
        earlier = _last(text, max(0, start - _NEAR), start)
        if earlier < 0:
            break
        closed = _closing(text, earlier, end - earlier + _NEAR)
        if closed > end:  # a box around the box
            start, end = earlier, closed
            inside[-1], names[-1] = _inside(text, start, end), _name_before(text, start)
            continue
        joint = _joint(text[closed + 1 : start]) if 0 <= start - closed <= _LONGEST_GAP else None
        if joint is None or closed < 0:
            break
        start, end = earlier, closed
        inside.append(_inside(text, start, end))
        names.append(_name_before(text, start))
        joints.append(joint)
    return inside, names, joints


def _joined(inside: list[str], names: list[str], joints: list[str]) -> Extracted:
    if len({"".join(one.split()) for one in inside}) == 1:
        return Extracted(inside[0], "box", "")
    if not all(joints):
        return _HEDGED
    if all(names):
        inside = [f"{name} = {one}" for name, one in zip(names, inside, strict=True)]
    return Extracted(", ".join(reversed(inside)), "box", "")


def _joint(gap: str) -> str | None:
    """What joins two boxes: "and" or a comma; "" for "or" or nothing; None for prose."""
    words = gap.translate(_NOT_WORDS).casefold().split()
    if words[-1:] == ["="] and len(words) > 1:  # $x=\boxed{3}$ and $y=\boxed{5}$
        words = words[:-2]
    if not _TOGETHER.union(_INSTEAD).issuperset(words):
        return None
    is_together = _INSTEAD.isdisjoint(words) and not _MARKS_OF_LISTS.isdisjoint(words)
    return "and" if is_together else ""


def _name_before(text: str, start: int) -> str:
    named = re.search(r"([A-Za-z]\w{0,8}) ?= ?\Z", text[max(0, start - 16) : start])
    return named[1] if named else ""
