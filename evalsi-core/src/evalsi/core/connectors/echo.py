"""`echo`: gives every prompt back, so that a spec can be tried without a model."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from evalsi.core.chat import Output, Request

__all__ = ["Echo", "EchoParams"]


class EchoParams(BaseModel):
    """What a target of this kind may say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str | None = Field(None, description="the output of every request; unset: its prompt")


class Echo:
    """Answers at once; deterministic."""

    Params = EchoParams

    def __init__(self, params: EchoParams) -> None:
        self._text = params.text

    async def generate(self, request: Request) -> Output:
        """The prompt, or the fixed text."""
        return Output(request.input if self._text is None else self._text)

    async def aclose(self) -> None:
        """Has nothing open."""
