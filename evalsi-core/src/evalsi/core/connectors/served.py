"""What the connectors to servers have in common: their params, and a prompt's messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Final, TypeAlias, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from evalsi.core.chat import Request, Sampling
from evalsi.core.chat.client import ChatClient, key_of
from evalsi.core.chat.wires import Messages, Wire
from evalsi.core.errors import DataError
from evalsi.core.http import Budgets
from evalsi.core.results import JSON

__all__ = ["Retries", "ServedParams", "messages_of"]

Seconds: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Times: TypeAlias = Annotated[int, Field(ge=0, le=100)]

_OURS: Final = frozenset({"messages", "model", "n", "prompt", "stream"})


class Retries(BaseModel):
    """How often a request is tried again, by what came instead of an output."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    connect: Times = Field(4, description="no connection, or one that broke")
    timeout: Times = Field(1, description="no answer within `timeout_s`")
    limited: Times = Field(8, description="429; the server's Retry-After is kept")
    server: Times = Field(4, description="5xx")
    malformed: Times = Field(2, description="an answer without a choice, or half of one")


class ServedParams(BaseModel):
    """How a served model is reached and asked. Keys are named by environment variable only."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    model: str = Field(min_length=1, description="the server's name for the model")
    base_url: str = Field(description="as http://localhost:8000/v1")
    api_key_env: str | None = Field(
        None, min_length=1, description="the environment variable that holds the key"
    )
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        None, description="0 is greedy; unset: the server's"
    )
    max_tokens: int | None = Field(None, ge=1, description="most tokens of an output")
    top_p: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="share of probability that is drawn from"
    )
    stop: tuple[str, ...] = Field((), description="texts that end an output")
    extra_body: dict[str, JsonValue] = Field(
        default_factory=dict, description="further fields of a request's body"
    )
    timeout_s: Seconds = Field(120.0, description="seconds of one try")
    deadline_s: Seconds = Field(600.0, description="seconds of all tries and the waits between")
    retries: Retries = Field(
        default_factory=lambda: Retries.model_validate({}),
        description="tries again, for each kind of failure",
    )

    @field_validator("base_url")
    @classmethod
    def _without_credentials(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("give an address such as http://localhost:8000/v1")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError("give the address alone; a key belongs into `api_key_env`")
        return url

    @field_validator("extra_body")
    @classmethod
    def _not_ours(cls, extra: dict[str, JsonValue]) -> dict[str, JsonValue]:
        taken = sorted(_OURS & extra.keys())
        if taken:
            raise ValueError(f"{taken[0]!r} is set by evalsi; remove it (`trials` asks repeatedly)")
        return extra

    def client(
        self,
        wire: Wire,
        seed: int | None = None,
        turn: Callable[[], Awaitable[None]] | None = None,
    ) -> ChatClient:
        """A client for that server; raises `SpecError` when the key is not there."""
        sampling = Sampling(
            self.model,
            self.temperature,
            self.max_tokens,
            self.top_p,
            self.stop,
            seed,
            cast("Mapping[str, JSON]", self.extra_body),
        )
        tries = self.retries
        budgets = Budgets(
            tries.connect,
            tries.timeout,
            tries.limited,
            tries.server,
            tries.malformed,
            self.timeout_s,
            self.deadline_s,
        )
        return ChatClient(wire, self.base_url, key_of(self.api_key_env), sampling, budgets, turn)


def messages_of(request: Request, system: str | None = None) -> Messages:
    """The conversation that a request stands for.

    Raises:
        DataError: its messages are no chat messages.
    """
    begun: list[Mapping[str, JSON]] = [{"role": "system", "content": system}] if system else []
    if request.messages is None:
        return [*begun, {"role": "user", "content": request.input}]
    given = request.messages
    if not isinstance(given, list | tuple) or not given:
        raise DataError("the prompt's messages are no list of chat messages")
    for message in given:
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise DataError("a message of the prompt has no `role`")
    return [*begun, *cast("Messages", given)]
