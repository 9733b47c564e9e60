"""A reward model on loopback that speaks what OpenRLHF's and vLLM's servers speak.

    with RewardServer() as server:
        ... ask server.url ...
    assert len(server.asked) == 1

A text's reward is its length, less 10. Like vLLM it puts a sigmoid over that unless it is told not
to, and refuses a whole request for one text that is too long. `spoil` makes it fail.
"""

from __future__ import annotations

import asyncio
import json
import math
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from aiohttp import web

__all__ = ["Asked", "RewardServer", "Spoil", "answered", "hang", "raw_reward", "reset"]

TOO_LONG = "This model's maximum context length is {} tokens; your prompt has more"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that came in: which one, where, and the texts that it has scored."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Any
    texts: tuple[str, ...]


Answer: TypeAlias = web.StreamResponse
Spoil: TypeAlias = Callable[[Asked, Any], "Answer | Awaitable[Answer] | None"]
"""Is given a request and its sound answer; None lets that go out."""


def raw_reward(text: str) -> float:
    """What the model thinks of a text."""
    return len(text) - 10.0


def answered(body: Any, status: int = 200, **headers: str) -> Answer:
    """An answer: text and bytes as they are, anything else as JSON."""
    data = body if isinstance(body, bytes) else body if isinstance(body, str) else json.dumps(body)
    data = data.encode() if isinstance(data, str) else data
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.Response(body=data, status=status, headers=named, content_type="application/json")


async def hang() -> Answer:
    """No answer, ever."""
    await asyncio.sleep(3600)
    return web.Response()


async def reset() -> Answer:
    """The connection ends without an answer."""
    raise _Reset


class _Reset(Exception):  # noqa: N818
    pass


class RewardServer:
    """The server, in a thread of its own for the block.

    Args:
        spoil: gives other answers than sound ones.
        longest: characters of the longest text that it takes.
        delay_s: how long it thinks.
        port: where it listens; 0: anywhere.

    Attributes:
        port: where it listens.
        asked: every request so far.
        most_at_once: the most requests that waited for an answer together.
    """

    def __init__(
        self,
        spoil: Spoil | None = None,
        *,
        longest: int = 1 << 30,
        delay_s: float = 0.0,
        port: int = 0,
    ) -> None:
        self.port = port
        self._spoil = spoil or (lambda _asked, _answer: None)
        self._longest = longest
        self._delay_s = delay_s
        self.asked: list[Asked] = []
        self.most_at_once = self._at_once = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> RewardServer:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._end = asyncio.Event()
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/{path:.*}", self._handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self.port).start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _handle(self, request: web.Request) -> Answer:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            body = json.loads(await request.text())
            texts = _texts(request.path, body)
            asked = Asked(len(self.asked), request.path, request.headers, body, tuple(texts))
            self.asked.append(asked)
            await asyncio.sleep(self._delay_s)
            return await self._answer(asked)
        except _Reset:
            assert request.transport is not None
            request.transport.abort()
            raise
        finally:
            self._at_once -= 1

    async def _answer(self, asked: Asked) -> Answer:
        if any(len(text) > self._longest for text in asked.texts):
            error = {"message": TOO_LONG.format(self._longest), "code": 400}
            return answered({"error": error}, 400)
        sound = _sound(asked)
        spoilt = self._spoil(asked, sound)
        if isinstance(spoilt, Awaitable):
            return await spoilt
        return answered(sound) if spoilt is None else spoilt


def _texts(path: str, body: Any) -> list[str]:
    """The texts that the model reads, whatever way they were sent."""
    if path == "/get_reward":
        return list(body["query"])
    if path == "/score":
        return [f"{a}{b}" for a, b in zip(body["queries"], body["documents"], strict=True)]
    if "messages" in body:
        return ["".join(f"<{one['role']}>{one['content']}" for one in body["messages"])]
    assert path in {"/pooling", "/classify"}
    return list(body["input"])


def _sound(asked: Asked) -> Any:
    raw = [raw_reward(text) for text in asked.texts]
    if asked.path == "/get_reward":
        return {"rewards": raw, "scores": raw, "extra_logs": {"dummy_scores": raw}}
    if asked.body.get("use_activation", True):
        raw = [1 / (1 + math.exp(-one)) for one in raw]
    shapes: dict[str, Callable[[float], dict[str, Any]]] = {
        "/pooling": lambda one: {"object": "pooling", "data": [one]},
        "/classify": lambda one: {"label": "LABEL_0", "probs": [one], "num_classes": 1},
        "/score": lambda one: {"object": "score", "score": one},
    }
    data = [{"index": n, **shapes[asked.path](one)} for n, one in enumerate(raw)]
    usage = {"prompt_tokens": 2, "total_tokens": 2, "completion_tokens": 0}
    return {"id": "x", "object": "list", "model": "rm", "data": data, "usage": usage}
