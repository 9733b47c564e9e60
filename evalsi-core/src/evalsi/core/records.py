"""Rollouts in, records out: one shape for every evaluator, whatever the trainer's columns are.

An empty completion is a completion; an absent one is an error of the data. What a rollout carries
beyond prompt, completion, reference and token count goes to the record's metadata.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any, Final, NoReturn

from evalsi.core.errors import DataError
from evalsi.core.results import JSON

__all__ = ["REFERENCE_FIELDS", "Record", "Rollout", "id_of", "record_of"]

Rollout = Mapping[str, Any]
"""One row as a trainer or a file holds it."""

REFERENCE_FIELDS: Final = ("reference", "ground_truth", "answer", "solution", "label")

_INPUT: Final = ("prompt", "input")
_OUTPUT: Final = ("completion", "output")
_TOKENS: Final = ("completion_tokens", "completion_ids")
_TAKEN: Final = frozenset({"id", *_TOKENS})
_NO_METADATA: Final[Mapping[str, JSON]] = {}


@dataclass(frozen=True, slots=True)
class Record:
    """One rollout as evaluators see it; a view holds the fields that its evaluator `reads` only.

    Attributes:
        id: the rollout's id, or its number.
        input: the prompt as text; of chat messages the texts, a blank line between.
        output: the completion as text; of chat messages those of the assistant, likewise.
        reference: the expected answer as the row holds it, or None.
        output_tokens: number of tokens in the completion, or None.
        metadata: every other field of the row.
        messages: the prompt's chat messages as given, or None.
    """

    id: str
    input: str = ""
    output: str = ""
    reference: JSON = None
    output_tokens: int | None = None
    metadata: Mapping[str, JSON] = field(default_factory=lambda: _NO_METADATA)
    messages: JSON = None

    def __reduce__(self) -> tuple[Any, ...]:
        # A view travels to a worker as it is: with the slots that it has.
        held = {}
        for name in self.__slots__:
            with contextlib.suppress(AttributeError):
                held[name] = object.__getattribute__(self, name)
        return _restored, (held,)

    def __getattr__(self, name: str) -> NoReturn:
        # Reached only for a slot that a view left empty.
        raise AttributeError(
            f"the record's {name!r} is not in this evaluator's `reads`; "
            f"add it there, so that the cache key covers it"
        )


def _restored(held: dict[str, Any]) -> Record:
    record = object.__new__(Record)
    for name, value in held.items():
        object.__setattr__(record, name, value)
    return record


def record_of(rollout: Rollout, number: int, reference_field: str | None = None) -> Record:
    """The record that a rollout stands for.

    Args:
        rollout: a mapping; `prompt` or `input`, `completion` or `output` (text, or chat messages
            whose content is text or a list of parts), the reference, `completion_tokens` or
            `completion_ids`, and anything else. One that was read from a file may say so by an
            attribute `place`, for messages.
        number: the rollout's place in its batch or file, from 1: its id when it has none.
        reference_field: the field that holds the reference; by default the first present of
            `REFERENCE_FIELDS`.

    Raises:
        DataError: no completion, or a field of a wrong type; the message names row and field.
    """
    if not isinstance(rollout, Mapping):
        raise DataError(f"rollout {number} is {type(rollout).__name__}; it must be a mapping")
    name = id_of(rollout, number)
    row = getattr(rollout, "place", None) or f"rollout {number}"
    if name != str(number):
        row = f"{row} (id {name})"
    source = _first(rollout, _OUTPUT)
    if source is None or rollout[source] is None:
        raise DataError(f"{row} has no completion; give `completion` or `output`, empty if it is")
    prompt = _first(rollout, _INPUT)
    asked = rollout[prompt] if prompt else None
    # A column that merely bears the other name (a dataset's own `output`) is metadata.
    taken = _TAKEN | {prompt, source}
    held_in = _reference_field(rollout, reference_field, taken, row)
    return Record(
        id=name,
        input=_text(rollout, prompt, row, assistant=False),
        output=_text(rollout, source, row, assistant=True),
        reference=rollout[held_in] if held_in else None,
        output_tokens=_tokens(rollout, row),
        metadata={k: v for k, v in rollout.items() if k not in taken and k != held_in},
        messages=None if asked is None or isinstance(asked, str) else asked,
    )


def id_of(rollout: Rollout, number: int) -> str:
    """A rollout's id, or its number where it has none."""
    given = rollout.get("id")
    return str(number if given is None else given)


def _first(rollout: Rollout, names: Sequence[str]) -> str | None:
    present = None
    for name in names:
        if name in rollout:
            if rollout[name] is not None:
                return name
            present = present or name
    return present


def _reference_field(
    rollout: Rollout, chosen: str | None, taken: Collection[str | None], row: str
) -> str | None:
    if chosen is None:
        return _first(rollout, REFERENCE_FIELDS)
    if chosen in taken:
        raise DataError(f"{row}: referenceField is {chosen!r}, which cannot be the reference")
    return chosen if chosen in rollout else None


def _text(rollout: Rollout, field: str | None, row: str, *, assistant: bool) -> str:
    value = None if field is None else rollout[field]
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    where = f"{row}, `{field}`"
    if isinstance(value, Mapping):
        value = [value]
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return _messages_text(value, where, assistant=assistant)
    raise DataError(f"{where} is {type(value).__name__}; it must be text or chat messages")


def _messages_text(messages: Sequence[object], where: str, *, assistant: bool) -> str:
    texts = []
    for place, message in enumerate(messages):
        if not isinstance(message, Mapping) or "content" not in message:
            raise DataError(f"{where}[{place}] is not a chat message; it needs a `content`")
        # A tool's or a user's words inside a completion are not what the model said.
        if not assistant or message.get("role", "assistant") == "assistant":
            texts.append(_content(message["content"], f"{where}[{place}].content"))
    if assistant and not texts:
        raise DataError(f"{where} holds no message of the assistant")
    return "\n\n".join(text for text in texts if text)


def _content(content: object, where: str) -> str:
    if content is None:
        return ""  # a message that only calls tools
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        raise DataError(f"{where} is {type(content).__name__}; it must be text or a list of parts")
    return "".join(_part(part, f"{where}[{place}]") for place, part in enumerate(content))


def _part(part: object, where: str) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise DataError(f"{where} is {type(part).__name__}; a part is text or a mapping")
    text = part.get("text")
    if text is None:
        return ""  # an image, or a table's column that has no text here
    if not isinstance(text, str):
        raise DataError(f"{where}.text is {type(text).__name__}; it must be text")
    return text


def _tokens(rollout: Rollout, row: str) -> int | None:
    count = rollout.get("completion_tokens")
    if count is None:
        ids = rollout.get("completion_ids")
        if ids is None:
            return None
        if not hasattr(ids, "__len__") or isinstance(ids, str):
            raise DataError(f"{row}, `completion_ids` is {type(ids).__name__}; it must be a list")
        return len(ids)
    if isinstance(count, float) and count.is_integer():
        count = int(count)  # what a data frame makes of a column with gaps
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise DataError(f"{row}, `completion_tokens` is {count!r}; it must be a whole number")
    if count < 0:
        raise DataError(f"{row}, `completion_tokens` is {count}; it cannot be negative")
    return index(count)
