"""What a spec says about a served reward model, checked before anything is asked."""

from __future__ import annotations

from typing import Final, Literal, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    field_validator,
    model_validator,
)

from evalsi.core.connectors.served import Retries, Seconds
from evalsi_pack_rl.reward_model.template import PLAIN, Template

__all__ = ["RewardModelParams"]

_PATHS: Final = {
    "openrlhf": "/get_reward",
    "vllm": "/pooling",
    "pooling": "/pooling",
    "classify": "/classify",
    "score": "/score",
}
_OURS: Final = frozenset(
    {
        "add_generation_prompt",
        "documents",
        "input",
        "labels",
        "messages",
        "model",
        "prompts",
        "queries",
        "query",
        "task",
        "truncate_prompt_tokens",
        "use_activation",
    }
)


class RewardModelParams(BaseModel):
    """How a reward model is reached and asked. Keys are named by environment variable only."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = Field(
        description="Where it is served; an address without a path gets that of the `api`."
    )
    api: Literal["openrlhf", "vllm", "pooling", "classify", "score"] = Field(
        default="openrlhf",
        description="OpenRLHF's protocol, or a route of vLLM's server; vllm is short for pooling.",
    )
    model: str | None = Field(
        default=None,
        min_length=1,
        description="The server's name for the model; vLLM serves one and needs none.",
    )
    activation: Literal["raw", "sigmoid"] = Field(
        default="raw", description="The model's own score, or its sigmoid, in [0, 1]."
    )
    template: str = Field(
        default=PLAIN, description="The one text that is made of {prompt} and {completion}."
    )
    chat: bool = Field(
        default=False,
        description="Send chat messages for the server's own template; pooling and classify only.",
    )
    truncate_prompt_tokens: int | None = Field(
        default=None,
        ge=-1,
        description="vLLM cuts longer texts to so many tokens; -1: to the model's length.",
    )
    extra_body: dict[str, JsonValue] = Field(
        default_factory=dict, description="Further fields of a request's body."
    )
    api_key_env: str | None = Field(
        default=None, min_length=1, description="The environment variable that holds the key."
    )
    max_batch: int = Field(default=64, ge=1, le=8192, description="Most records of one call.")
    wait_ms: float = Field(
        default=5.0,
        ge=0,
        le=10_000,
        description="How long records wait for others that go in the same call.",
    )
    concurrency: int = Field(default=4, ge=1, le=64, description="Most calls at once.")
    timeout_s: Seconds = Field(default=60.0, description="Seconds of one try.")
    deadline_s: Seconds = Field(
        default=180.0, description="Seconds of all tries of a call and the waits between."
    )
    retries: Retries = Field(
        default_factory=lambda: Retries.model_validate({}),
        description="Tries again, for each kind of failure.",
    )

    @property
    def endpoint(self) -> str:
        """The address that is posted to."""
        parts = urlsplit(self.url)
        path = parts.path if parts.path.strip("/") else _PATHS[self.api]
        return urlunsplit((parts.scheme, parts.netloc, path, "", ""))

    @field_validator("url")
    @classmethod
    def _address_alone(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("give an address such as http://localhost:5000/get_reward")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError("give the address alone; a key belongs into `api_key_env`")
        if parts.path.rstrip("/") == "/v1":
            raise ValueError(
                "leave out /v1, or give the whole path, as http://localhost:8000/pooling"
            )
        return url

    @field_validator("template")
    @classmethod
    def _readable(cls, template: str) -> str:
        Template(template)
        return template

    @field_validator("extra_body")
    @classmethod
    def _not_ours(cls, extra: dict[str, JsonValue]) -> dict[str, JsonValue]:
        taken = sorted(_OURS & extra.keys())
        if taken:
            raise ValueError(f"{taken[0]!r} is set by evalsi; remove it here")
        return extra

    @model_validator(mode="after")
    def _fits_the_api(self) -> Self:
        if self.chat and self.api in ("openrlhf", "score"):
            raise ValueError(
                f"chat: {self.api} takes no chat messages; use `template`, or classify"
            )
        if self.template != PLAIN and (self.chat or self.api == "score"):
            who = "chat sends messages" if self.chat else "score sends prompt and completion apart"
            raise ValueError(f"template: {who}, and the server makes the text; remove `template`")
        if self.truncate_prompt_tokens is not None and self.api == "openrlhf":
            raise ValueError(
                "truncate_prompt_tokens: openrlhf has no word for it; its server's --max_len cuts"
            )
        return self
