"""Short questions to a server, from threads without an event loop."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, TypeVar

from evalsi.core.errors import ServerError
from evalsi.training.serving.contract import ServingError

if TYPE_CHECKING:
    from evalsi.core.http import Server

__all__ = ["answers_as", "get", "post", "without"]

T = TypeVar("T")

_TIMEOUT_S: Final = 120.0
_SHOWN: Final = 500
_QUESTION: Final = "Say one word."
_NOT_YET: Final = frozenset({429, 503})


def post(url: str, body: Any, timeout_s: float = _TIMEOUT_S, *, key: str = "") -> tuple[int, str]:
    """Status and text of an answer; raises `ServerError` where there is none.

    Neither holds the key, whatever the server says.
    """
    status, text = _away(_post(url, json.dumps(body).encode(), timeout_s, key))
    return status, without(key, text)


def get(url: str, timeout_s: float = _TIMEOUT_S, *, key: str = "") -> Any:
    """The JSON of an answer; raises `ServerError` where there is none, `ValueError` for no JSON."""
    return json.loads(_away(_get(url, timeout_s, key)))


def without(key: str, text: str) -> str:
    """A text in which a key is not shown; "" is no key."""
    return text.replace(key, "***") if key else text


def answers_as(base_url: str, model: str, timeout_s: float = _TIMEOUT_S, *, key: str = "") -> bool:
    """Whether a completion of this model comes: a health route may lie about that.

    Returns:
        False while nobody answers, or asks to wait.

    Raises:
        ServingError: the answer is an error, or no completion.
    """
    messages = [{"role": "user", "content": _QUESTION}]
    body = {"model": model, "messages": messages, "max_tokens": 1, "temperature": 0}
    try:
        status, text = post(f"{base_url}/chat/completions", body, timeout_s, key=key)
    except ServerError:
        return False
    if status in _NOT_YET:
        return False
    if status != 200:
        raise ServingError(f"answers {status} for {model}: {' '.join(text.split())[:_SHOWN]}")
    # One token cannot say it: transformers gives the whole prompt where it cannot parse a template.
    if _QUESTION in _content(text):
        raise ServingError(
            f"answers with the question of {model}, which its server cannot cut off; give the "
            f"checkpoint a chat template of its family"
        )
    return True


def _content(text: str) -> str:
    try:
        return str(json.loads(text)["choices"][0]["message"].get("content"))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ServingError(f"answers without a choice: {text[:_SHOWN]}") from error


async def _post(url: str, body: bytes, timeout_s: float, key: str) -> tuple[int, str]:
    async with _server(url, key) as server:
        answer = await server.answer(body, timeout_s)
    return answer.status, answer.body.decode(errors="replace")


async def _get(url: str, timeout_s: float, key: str) -> bytes:
    async with _server(url, key) as server:
        return await server.get(timeout_s)


@contextlib.asynccontextmanager
async def _server(url: str, key: str) -> AsyncIterator[Server]:
    from evalsi.core.http import Server

    server = Server(url, {"authorization": f"Bearer {key}"} if key else {}, secret=key)
    try:
        yield server
    finally:
        await server.aclose()


def _away(asking: Coroutine[Any, Any, T]) -> T:
    """Runs in a thread of its own: the caller may have a loop."""
    import asyncio

    with ThreadPoolExecutor(1, "evalsi-serving") as thread:
        return thread.submit(asyncio.run, asking).result()
