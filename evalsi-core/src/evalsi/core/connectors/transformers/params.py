"""What a target in this process may say, and the same with nothing left open."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from evalsi.core.connectors.served import Seconds

__all__ = ["Settled", "TransformersParams"]

_Stop: TypeAlias = Annotated[str, Field(min_length=1)]


class TransformersParams(BaseModel):
    """What a target of this kind may say."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    model: str = Field(min_length=1, description="a folder beside the spec, or the hub's name")
    revision: str | None = Field(
        None,
        min_length=1,
        description="the hub's branch, tag or commit; of a folder, the digest that it must have",
    )
    device: str = Field(
        "auto", pattern=r"^(auto|cpu|mps|cuda(:\d{1,3})?)$", description="auto: cuda, else cpu"
    )
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        "auto", description="of the weights; auto: as they were saved"
    )
    api: Literal["chat", "completions"] = Field(
        "chat", description="`completions` gives the model the prompt as plain text"
    )
    system: str | None = Field(None, description="a system message before every prompt")
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        0.0, description="0 is greedy"
    )
    max_tokens: int | None = Field(
        None, ge=1, description="most tokens of an output; unset: what the context has room for"
    )
    top_p: Annotated[float, Field(gt=0, le=1)] = Field(
        1.0, description="share of probability that is drawn from"
    )
    stop: tuple[_Stop, ...] = Field((), description="texts that end an output")
    seed: int | None = Field(None, description="makes samples repeat; each trial has its own")
    batch_size: int = Field(16, ge=1, le=4096, description="most requests that run together")
    timeout_s: Seconds = Field(600.0, description="seconds of one output, without its wait")


class Settled(TransformersParams):
    """The same with nothing left open: which weights, where, and by which libraries."""

    revision: str
    backend: str
