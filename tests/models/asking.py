"""The connector `transformers`, asked as a run asks it."""

from __future__ import annotations

import asyncio
from typing import Any

from evalsi.core.chat import Output, Request, ServerError
from evalsi.core.connectors.transformers.connector import Transformers
from evalsi.core.connectors.transformers.params import Settled

__all__ = ["asked", "failed", "what"]


def asked(params: Settled, *requests: Request | str) -> list[Any]:
    """What comes of requests that are made at once: outputs, and errors among them."""

    async def main() -> list[Any]:
        connector = Transformers(params)
        given = [Request(one) if isinstance(one, str) else one for one in requests]
        asking = (connector.generate(request) for request in given)
        found = await asyncio.gather(*asking, return_exceptions=True)
        await connector.aclose()
        return found

    return asyncio.run(main())


def what(output: Any) -> tuple[str, str, int | None, int | None]:
    """Text, finish reason and tokens of an output."""
    assert isinstance(output, Output), output
    return output.text, output.finish, output.input_tokens, output.output_tokens


def failed(found: Any, cause: str) -> str:
    """The message of an error of that cause."""
    assert isinstance(found, ServerError), found
    assert found.cause == cause
    return str(found)
