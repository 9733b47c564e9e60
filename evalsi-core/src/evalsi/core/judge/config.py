"""The settings of a judge, as a spec's `judge` or the environment states them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evalsi.core.connectors.served import Seconds, ServedParams

__all__ = ["JudgeConfig"]

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class JudgeConfig(ServedParams):
    """How a judge is reached and asked. There is no default model and no default address."""

    connector: Literal["openai-compatible", "anthropic"] = Field(
        "openai-compatible", description="the server's wire format"
    )
    model: str = Field("", description="the server's name for the model")
    base_url: str = Field("", description="as http://localhost:8000/v1")
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        0.0, description="above 0 verdicts are sampled, and never kept"
    )
    max_tokens: int | None = Field(1024, ge=1, description="most tokens of an answer")
    seed: int | None = Field(None, description="where the server takes one")
    timeout_s: Seconds = Field(60.0, description="seconds of one try")
    deadline_s: Seconds = Field(180.0, description="seconds of all tries for one answer")
    output: Literal["auto", "json-schema", "prompt"] = Field(
        "auto",
        description="how the schema is sent: to the server as well while it takes one, "
        "always, or in the prompt alone",
    )
    reasks: int = Field(
        2, ge=0, le=10, description="how often an answer that does not fit is asked for again"
    )
    concurrency: int = Field(8, ge=1, description="questions at once")
    requests_per_minute: Annotated[float, Field(gt=0)] | None = Field(
        None, description="most requests, tries included, evenly spaced"
    )
    max_requests: int | None = Field(
        None, ge=1, description="after so many requests every further question errs"
    )
    cache: str | None = Field(
        None, min_length=1, description="a file that keeps verdicts for later runs"
    )
    input_price: Price | None = Field(None, description="of a million tokens of input")
    output_price: Price | None = Field(None, description="of a million tokens of output")
