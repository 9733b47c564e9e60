"""JSON in an answer: the whole answer, or all of it in one code fence.

Strictly RFC 8259: no NaN, no comments, no name twice in an object. Depth is measured before the
text is parsed, so that the verdict hangs on no interpreter's stack.
"""

from __future__ import annotations

import json
import math
import re
from typing import Final, Literal, NoReturn, TypeAlias

from pydantic import Field

from evalsi.core.results import JSON
from evalsi_pack_general.answers import AnswerParams

__all__ = ["JsonParams", "NoJsonError", "parsed"]

Fence: TypeAlias = Literal["optional", "required", "forbidden"]

_DEEPEST: Final = 200
_DIGITS: Final = 1000  # beyond, Python takes quadratic time, and at 4300 it refuses
_OPENING: Final = re.compile(r"(`{3,})[\w.+-]*[ \t]*\r?\n")
# A string is passed over whole, so that a bracket in it does not count; one that does not end
# takes the rest of the text.
_STEPS: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+|[\[{]|[\]}]', re.DOTALL)


class NoJsonError(ValueError):
    """The text is no JSON; `reason` is a code, the message a clause."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class JsonParams(AnswerParams):
    """Where in the answer the JSON is."""

    code_fence: Fence = Field(
        default="optional",
        description="Whether the answer may, must or may not be one fence of backticks.",
    )


def parsed(answer: str, fence: Fence, *, exact: bool = True, deepest: int = _DEEPEST) -> JSON:
    """The value that an answer is.

    Args:
        answer: the text.
        fence: whether it may, must or may not be a code fence.
        exact: whether a number that no float holds, or of more than a thousand digits, is refused;
            otherwise such a number becomes an infinity, or is rounded.
        deepest: how many levels it may nest.

    Raises:
        NoJsonError: it is no JSON, with a reason code.
    """
    text = _unfenced(answer.strip(), fence)
    if not text:
        raise NoJsonError("empty", "there is no text")
    if _deeper(text, deepest):
        raise NoJsonError("too-deep", f"it nests deeper than {deepest} levels")
    try:
        value: JSON = json.loads(
            text,
            parse_int=_integer if exact else float,
            parse_float=_float if exact else None,
            parse_constant=_constant,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise NoJsonError("not-json", f"{error.msg} at {place}") from error
    return value


def _unfenced(text: str, fence: Fence) -> str:
    opening = _OPENING.match(text)
    if opening is None or not text.endswith(opening[1], opening.end()):
        if fence == "required":
            raise NoJsonError("no-fence", "the answer is not one code fence")
        return text
    if fence == "forbidden":
        raise NoJsonError("fenced", "the answer is in a code fence")
    return text[opening.end() : -len(opening[1])].strip()


def _deeper(text: str, levels: int) -> bool:
    depth = 0
    for step in _STEPS.finditer(text):
        if step[0] in ("[", "{"):
            depth += 1
            if depth > levels:
                return True
        elif step[0] in ("]", "}"):
            depth -= 1
    return False


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise NoJsonError("number-too-large", f"it holds an integer of {len(digits)} digits")
    return int(digits)


def _float(digits: str) -> float:
    if math.isinf(value := float(digits)):
        raise NoJsonError("number-too-large", f"it holds {digits[:40]}, which no float can hold")
    return value


def _constant(name: str) -> NoReturn:
    raise NoJsonError("not-json", f"{name} is no JSON")


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise NoJsonError("name-twice", f"an object holds {_twice(pairs)[:80]!r} twice")
    return made


def _twice(pairs: list[tuple[str, JSON]]) -> str:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            break
        seen.add(name)
    return name
