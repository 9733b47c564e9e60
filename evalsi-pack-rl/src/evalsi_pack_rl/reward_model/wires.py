"""The protocols of reward models: what a record sends, and where its number stands in the answer.

The shapes are those of OpenRLHF's `serve_rm` and of vLLM's pooling server
(https://docs.vllm.ai/en/latest/models/pooling_models/). vLLM puts a sigmoid over the score unless
it is told not to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from evalsi.core.errors import DataError
from evalsi_pack_rl.reward_model.template import Template

if TYPE_CHECKING:
    from evalsi.core.records import Record
    from evalsi_pack_rl.reward_model.params import RewardModelParams

__all__ = ["Row", "Unreadable", "Wire", "wire_of"]

Row: TypeAlias = Any
"""What one record sends; only its wire looks into it."""


class Unreadable(ValueError):  # noqa: N818 - it never leaves the room
    """An answer that does not fit its request; the message is a clause about it."""


class Wire(Protocol):
    """A way to ask for many numbers at once.

    Attributes:
        reads: the record's fields that are sent.
        single: whether a request holds one record only.
    """

    reads: tuple[str, ...]
    single: bool

    def row(self, record: Record) -> Row:
        """What a record sends; raises `DataError` where that is nothing, or no JSON."""
        ...

    def body(self, rows: Sequence[Row]) -> dict[str, Any]:
        """The body of a request."""
        ...

    def read(self, answer: Any, count: int) -> list[Any]:
        """What stands for each row's number, in the order of the rows; raises `Unreadable`."""
        ...


def wire_of(params: RewardModelParams) -> Wire:
    """The wire that the params ask for."""
    if params.api == "openrlhf":
        return _OpenRLHF(params)
    if params.api == "score":
        return _Score(params)
    kind = "classify" if params.api == "classify" else "pooling"
    return _Chat(params, kind) if params.chat else _Texts(params, kind)


class _OpenRLHF:
    reads: tuple[str, ...] = ("input", "output", "reference")
    single = False

    def __init__(self, params: RewardModelParams) -> None:
        self._template = Template(params.template)
        self._extra = params.extra_body

    def row(self, record: Record) -> Row:
        text = _some(self._template.text(record.input, record.output))
        label = _as_json(record.reference, "the reference")
        return text, self._template.opening(record.input), label

    def body(self, rows: Sequence[Row]) -> dict[str, Any]:
        queries, prompts, labels = map(list, zip(*rows, strict=True))
        return {"query": queries, "prompts": prompts, "labels": labels, **self._extra}

    def read(self, answer: Any, count: int) -> list[Any]:
        if not isinstance(answer, Mapping) or "rewards" not in answer:
            raise Unreadable("has no `rewards`")
        rewards = answer["rewards"]
        if count == 1 and not isinstance(rewards, list):
            return [rewards]
        return _listed(rewards, count, "`rewards`")


_VALUES: Final = {"pooling": "data", "classify": "probs", "score": "score"}


class _VLLM:
    single = False

    def __init__(self, params: RewardModelParams, kind: str) -> None:
        self._value = _VALUES[kind]
        told = {"model": params.model, "truncate_prompt_tokens": params.truncate_prompt_tokens}
        self._common: dict[str, Any] = {
            **{name: value for name, value in told.items() if value is not None},
            **({"task": "classify"} if kind == "pooling" else {}),
            "use_activation": False,
            **params.extra_body,
        }

    def read(self, answer: Any, count: int) -> list[Any]:
        data = answer.get("data") if isinstance(answer, Mapping) else None
        found: dict[int, Any] = {}
        for item in _listed(data, count, "`data`"):
            index = item.get("index") if isinstance(item, Mapping) else None
            if type(index) is not int or not 0 <= index < count or index in found:
                shown = index if type(index) is int else type(index).__name__
                raise Unreadable(f"has an item whose index is {shown}, for {count} records")
            found[index] = item.get(self._value)
        return [found[index] for index in range(count)]


class _Texts(_VLLM):
    reads: tuple[str, ...] = ("input", "output")

    def __init__(self, params: RewardModelParams, kind: str) -> None:
        super().__init__(params, kind)
        self._template = Template(params.template)

    def row(self, record: Record) -> Row:
        return _some(self._template.text(record.input, record.output))

    def body(self, rows: Sequence[Row]) -> dict[str, Any]:
        return {"input": list(rows), **self._common}


class _Chat(_VLLM):
    reads: tuple[str, ...] = ("input", "messages", "output")
    single = True

    def row(self, record: Record) -> Row:
        asked = record.messages or [{"role": "user", "content": record.input}]
        if not isinstance(asked, list | tuple):
            raise DataError("the prompt's messages are no list of chat messages")
        messages = [*asked, {"role": "assistant", "content": record.output}]
        return _as_json(messages, "the prompt's messages")

    def body(self, rows: Sequence[Row]) -> dict[str, Any]:
        # The completion ends the conversation: nothing more is to be generated.
        return {"messages": rows[0], "add_generation_prompt": False, **self._common}


class _Score(_VLLM):
    reads: tuple[str, ...] = ("input", "output")

    def __init__(self, params: RewardModelParams) -> None:
        super().__init__(params, "score")

    def row(self, record: Record) -> Row:
        _some(record.input + record.output)
        return record.input, record.output

    def body(self, rows: Sequence[Row]) -> dict[str, Any]:
        queries, documents = map(list, zip(*rows, strict=True))
        return {"queries": queries, "documents": documents, **self._common}


def _listed(found: Any, count: int, what: str) -> list[Any]:
    if not isinstance(found, list):
        raise Unreadable(f"has no list {what}")
    if len(found) != count:
        raise Unreadable(f"has {len(found)} items in {what} for {count} records")
    return found


def _some(text: str) -> str:
    """The text; of none, OpenRLHF's server scores the padding in company, and crashes alone."""
    if not text:
        raise DataError("prompt and completion are empty: there is nothing to score")
    return text


def _as_json(value: Any, what: str) -> Any:
    """The value, when JSON can hold it: one that cannot must not fail the rest of its call."""
    if value is None or type(value) is str:
        return value
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"{what} cannot be sent as JSON: {error}") from error
    return value
