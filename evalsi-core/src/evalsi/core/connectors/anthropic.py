"""`anthropic`: a model behind the Messages API."""

from __future__ import annotations

from pydantic import Field

from evalsi.core.chat import Output, Request
from evalsi.core.chat.wires import ANTHROPIC
from evalsi.core.connectors.served import ServedParams, messages_of

__all__ = ["Anthropic", "AnthropicParams"]


class AnthropicParams(ServedParams):
    """What a target of this kind may say."""

    system: str | None = Field(None, description="a system prompt before every conversation")


class Anthropic:
    """Asks for one output a request, without streaming. The API has no seed."""

    Params = AnthropicParams

    def __init__(self, params: AnthropicParams) -> None:
        self._params = params
        self._client = params.client(ANTHROPIC)

    async def generate(self, request: Request) -> Output:
        """The model's output; raises `ServerError` when the budgets of failures are spent."""
        return await self._client.ask(messages_of(request, self._params.system))

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()
