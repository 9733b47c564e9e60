"""From a judge's text to an answer that fits, or the reason why it does not.

The text is a model's: it is cut before it is read, read a bounded number of times, and an answer
counts only when there is no second one beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from evalsi.core.chat import Output

__all__ = ["Unfit", "answer_of"]

A = TypeVar("A", bound=BaseModel)

_MAX_CHARACTERS: Final = 64 * 1024
_STARTS: Final = 32
_THOUGHT: Final = ("<think>", "</think>")
_REASON: Final = 300


class Unfit(ValueError):  # noqa: N818 - it never leaves the room
    """A text that holds no answer; the message is a clause about it."""


def answer_of(output: Output, model: type[A]) -> A:
    """The one answer in an output.

    Raises:
        Unfit: there is none, one does not fit, or there are several that differ.
    """
    if len(output.text) > _MAX_CHARACTERS:
        raise Unfit(f"it has more than {_MAX_CHARACTERS} characters")
    _, closed, text = output.text.rpartition(_THOUGHT[1])
    if not closed and text.lstrip().startswith(_THOUGHT[0]):
        raise Unfit("its thoughts have no end, and what they hold is no answer")
    objects = [*_objects(text)]
    if not objects:
        cut = ", and the limit on tokens ended it" if output.truncated else ""
        raise Unfit(f"it holds no JSON object{cut}")
    # A second object may be one that the judged text had the judge say, so none is preferred.
    first, *others = [_fit(found, model) for found in objects]
    if any(other != first for other in others):
        raise Unfit("it holds several objects that fit and differ")
    return first


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in a text, found from a bounded number of braces."""
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_number)
    at = 0
    for _ in range(_STARTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            yield found
    if text.find("{", at) >= 0:
        # An answer beyond may be the judge's own, and those before it the judged text's.
        raise Unfit("it holds too many braces")


def _fit(found: dict[str, Any], model: type[A]) -> A:
    try:
        # Strict: text is no number, and true is not 1.
        return model.model_validate_json(json.dumps(found), strict=True)
    except ValidationError as error:
        told = [
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}" if one["loc"] else one["msg"]
            for one in error.errors(include_url=False, include_input=False, include_context=False)
        ]
        raise Unfit("; ".join(told)[:_REASON]) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")
