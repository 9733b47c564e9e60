"""Wire formats: how a server is asked, and where in its answer the output stands.

Reading is strict about what is there at all (no choice and half a body are failures of the
server) and lenient about the rest: an empty text is an output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from evalsi.core.chat.contract import Output, Sampling
from evalsi.core.results import JSON

__all__ = ["ANTHROPIC", "CHAT", "COMPLETIONS", "Messages", "Shape", "Unreadable", "Wire"]

Messages: TypeAlias = Sequence[Mapping[str, JSON]]
"""Chat messages, each with `role` and `content`."""


class Unreadable(ValueError):  # noqa: N818 - it never leaves the room
    """An answer without an output; the message is a clause about it.

    Attributes:
        status: the HTTP status that its body tells instead of its head, or None.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Shape:
    """The JSON Schema that an output shall fit, with a name for it."""

    name: str
    schema: Mapping[str, Any]


class Wire(Protocol):
    """A server's way to be asked for one output."""

    path: str

    def headers(self, key: str) -> Mapping[str, str]:
        """What a request carries; an empty key is none."""
        ...

    def body(
        self, messages: Messages, sampling: Sampling, sample: int, shape: Shape | None
    ) -> dict[str, Any]:
        """The body of a request."""
        ...

    def read(self, answer: Any) -> Output:
        """The output in an answer; raises `Unreadable`."""
        ...


class _OpenAI:
    def headers(self, key: str) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"} if key else {}

    def _common(self, sampling: Sampling, sample: int) -> dict[str, Any]:
        seed = None if sampling.seed is None else sampling.seed + sample
        chosen = {
            "temperature": sampling.temperature,
            "max_tokens": sampling.max_tokens,
            "top_p": sampling.top_p,
            "stop": list(sampling.stop) or None,
            "seed": seed,
        }
        given = {name: value for name, value in chosen.items() if value is not None}
        return {"model": sampling.model, "stream": False, **given, **sampling.extra}

    def _choice(self, answer: Any) -> Mapping[str, Any]:
        whole = _mapping(answer, "is no JSON object")
        choices = whole.get("choices")
        if not choices and isinstance(whole.get("error"), Mapping | str):
            raise _told(whole["error"])
        if not isinstance(choices, list) or not choices:
            raise Unreadable("has no choice")
        return _mapping(choices[0], "has a choice that is no object")

    def _output(self, answer: Any, choice: Mapping[str, Any], text: str) -> Output:
        usage = answer.get("usage")
        counts = usage if isinstance(usage, Mapping) else {}
        return Output(
            text,
            _word(choice.get("finish_reason")),
            _count(counts.get("prompt_tokens")),
            _count(counts.get("completion_tokens")),
        )


class _Chat(_OpenAI):
    path = "/chat/completions"

    def body(
        self, messages: Messages, sampling: Sampling, sample: int, shape: Shape | None
    ) -> dict[str, Any]:
        body = {"messages": list(messages), **self._common(sampling, sample)}
        if shape is not None:
            fit = {"name": shape.name, "schema": shape.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": fit}
        return body

    def read(self, answer: Any) -> Output:
        choice = self._choice(answer)
        message = _mapping(choice.get("message"), "has a choice without a message")
        content = message.get("content")
        if content is None:
            # A refusal stands in a field of its own there; without one null is the empty text.
            content = message.get("refusal") or ""
        return self._output(answer, choice, _text(content))


class _Completions(_OpenAI):
    path = "/completions"

    def body(
        self, messages: Messages, sampling: Sampling, sample: int, shape: Shape | None
    ) -> dict[str, Any]:
        del shape  # this way of asking knows no schema
        prompt = "\n\n".join(_text(message.get("content")) for message in messages)
        return {"prompt": prompt, **self._common(sampling, sample)}

    def read(self, answer: Any) -> Output:
        choice = self._choice(answer)
        if "text" not in choice:
            raise Unreadable("has a choice without a text")
        return self._output(answer, choice, _text(choice["text"]))


_ANTHROPIC_VERSION: Final = "2023-06-01"
_ANTHROPIC_MAX_TOKENS: Final = 4096  # the format asks for a number
_ANTHROPIC_WORDS: Final = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}


class _Anthropic:
    path = "/messages"

    def headers(self, key: str) -> Mapping[str, str]:
        version = {"anthropic-version": _ANTHROPIC_VERSION}
        return {**version, "x-api-key": key} if key else version

    def body(
        self, messages: Messages, sampling: Sampling, sample: int, shape: Shape | None
    ) -> dict[str, Any]:
        del sample  # the format knows no seed
        system = "\n\n".join(_text(m.get("content")) for m in messages if m.get("role") == "system")
        chosen = {
            "system": system or None,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "stop_sequences": list(sampling.stop) or None,
        }
        body: dict[str, Any] = {
            "model": sampling.model,
            "messages": [m for m in messages if m.get("role") != "system"],
            "max_tokens": sampling.max_tokens or _ANTHROPIC_MAX_TOKENS,
            **{name: value for name, value in chosen.items() if value is not None},
        }
        if shape is not None:
            body["tools"] = [{"name": shape.name, "input_schema": shape.schema}]
            body["tool_choice"] = {"type": "tool", "name": shape.name}
        return {**body, **sampling.extra}

    def read(self, answer: Any) -> Output:
        whole = _mapping(answer, "is no JSON object")
        parts = whole.get("content")
        if whole.get("type") == "error":
            raise _told(whole.get("error"))
        if not isinstance(parts, list):
            raise Unreadable("has no content")
        usage = whole.get("usage")
        counts = usage if isinstance(usage, Mapping) else {}
        word = _word(whole.get("stop_reason"))
        return Output(
            _text(parts),
            _ANTHROPIC_WORDS.get(word, word),
            _count(counts.get("input_tokens")),
            _count(counts.get("output_tokens")),
        )


CHAT: Final[Wire] = _Chat()
COMPLETIONS: Final[Wire] = _Completions()
ANTHROPIC: Final[Wire] = _Anthropic()


def _mapping(value: Any, otherwise: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Unreadable(otherwise)
    return value


def _text(content: Any) -> str:
    """The text of a content: itself, or its parts; a tool's input is the JSON that it is."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise Unreadable("has a content that is no text")
    return "".join(map(_part, content))


def _part(part: Any) -> str:
    whole = _mapping(part, "has a part of content that is no object")
    if isinstance(whole.get("text"), str):
        return str(whole["text"])
    return json.dumps(whole["input"]) if whole.get("type") == "tool_use" else ""


def _told(error: Any) -> Unreadable:
    """A failure that came with a status of success, as some gateways send it."""
    told = error if isinstance(error, Mapping) else {"message": error}
    code = told.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else None
    return Unreadable(f"tells an error instead: {str(told.get('message'))[:2000]}", status)


def _word(reason: Any) -> str:
    return reason[:64] if isinstance(reason, str) else ""


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
