"""`transformers`: a model of the Hugging Face hub, or a checkpoint's folder, in this process.

Requests that are made together are answered in one padded batch, in a thread of the connector's
own. What the spec says is what is done: of the model's own generation settings only the tokens
that end a text are taken, so that two checkpoints are asked alike.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from typing import ClassVar

from evalsi.core.chat import Output, Request
from evalsi.core.connectors.served import messages_of
from evalsi.core.connectors.transformers.batches import Batches
from evalsi.core.connectors.transformers.examine import examined
from evalsi.core.connectors.transformers.model import Asked, Model
from evalsi.core.connectors.transformers.params import Settled, TransformersParams

__all__ = ["Transformers"]


class Transformers:
    """Gives what the model says; made inside the event loop that uses it.

    The weights are loaded at the first request. Greedy outputs, and sampled ones with a seed, are
    the same in any company as far as the arithmetic is: a padded batch rounds differently.
    """

    Params = TransformersParams
    paths_or_names: ClassVar[tuple[str, ...]] = ("model",)

    @classmethod
    def settle(cls, params: TransformersParams) -> Settled:
        """The params with what they leave open decided; loads no weights.

        Raises:
            SpecError: a library is missing, or there is no such model, revision or device.
        """
        found = examined(params.model, params.revision, params.device, params.dtype)
        return Settled.model_validate({**params.model_dump(), **found})

    def __init__(self, params: Settled) -> None:
        self._params = params
        self._model = Model(params)
        self._batches = Batches(self._model.answers, params.batch_size)

    async def generate(self, request: Request) -> Output:
        """The model's output; raises `ServerError` when it did not load or gave none in time."""
        if self._params.api == "completions":
            request = Request(request.input, sample=request.sample, id=request.id)
        asked = Asked(messages_of(request, self._params.system), self._seed(request))
        try:
            return await self._batches.ask(asked)
        except asyncio.CancelledError:
            asked.gone = True  # its row ends at the next token
            raise

    async def aclose(self) -> None:
        """Ends what runs at its next token, and frees the model."""
        await self._batches.aclose(self._model.free)

    def _seed(self, request: Request) -> int:
        if self._params.seed is None:
            return secrets.randbits(63)
        # The record counts too: with one seed for all, they would share their luck.
        text = f"{self._params.seed} {request.sample} {request.id}"
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).digest()
        return int.from_bytes(digest[:8]) >> 1
