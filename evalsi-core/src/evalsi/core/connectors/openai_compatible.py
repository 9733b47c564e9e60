"""`openai-compatible`: a model behind the API that vLLM, SGLang, Ollama and others serve."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from evalsi.core.chat import Output, Request
from evalsi.core.chat.wires import CHAT, COMPLETIONS
from evalsi.core.connectors.served import ServedParams, messages_of

__all__ = ["OpenAICompatible", "OpenAIParams"]


class OpenAIParams(ServedParams):
    """What a target of this kind may say."""

    api: Literal["chat", "completions"] = Field(
        "chat", description="`completions` sends the prompt as plain text"
    )
    system: str | None = Field(None, description="a system message before every prompt")
    seed: int | None = Field(None, description="of the first trial; further ones count up")


class OpenAICompatible:
    """Asks for one output a request, without streaming; `n` is never sent."""

    Params = OpenAIParams

    def __init__(self, params: OpenAIParams) -> None:
        self._params = params
        chat = params.api == "chat"
        self._client = params.client(CHAT if chat else COMPLETIONS, params.seed)
        self._chat = chat

    async def generate(self, request: Request) -> Output:
        """The model's output; raises `ServerError` when the budgets of failures are spent."""
        if not self._chat:
            request = Request(request.input, sample=request.sample)
        messages = messages_of(request, self._params.system)
        return await self._client.ask(messages, sample=request.sample)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()
