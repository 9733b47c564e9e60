"""A model's server as connectors and judges ask it: one wire format, one client, tries and all."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from evalsi.core.chat.contract import Output, Sampling
from evalsi.core.chat.wires import Messages, Shape, Unreadable, Wire
from evalsi.core.errors import ServerError, SpecError
from evalsi.core.http import Budgets, Server, retried

__all__ = ["ChatClient", "key_of"]


class ChatClient:
    """Asks one model of one server. Safe from many event loops.

    Args:
        wire: the server's format.
        base_url: as `http://localhost:8000/v1`; the format's path is put behind it.
        key: the key itself, or "".
        sampling: how the model is asked.
        budgets: how often and how long.
        turn: is waited for before every try, whatever its time; None: nothing to wait for.

    Attributes:
        sent: requests that were sent, tries included.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is a word of the contract
        self,
        wire: Wire,
        base_url: str,
        key: str,
        sampling: Sampling,
        budgets: Budgets,
        turn: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._wire = wire
        self._sampling = sampling
        self._budgets = budgets
        self._turn = turn
        url = base_url.rstrip("/") + wire.path
        self._server = Server(url, wire.headers(key), secret=key)
        self.sent = 0

    async def ask(
        self, messages: Messages, *, sample: int = 0, shape: Shape | None = None
    ) -> Output:
        """The model's output for a conversation.

        Raises:
            ServerError: none was got within the budgets.
        """
        body = self._wire.body(messages, self._sampling, sample, shape)
        # ASCII, so that a lone surrogate of a dataset travels as JSON writes it.
        attempt = partial(self._try, json.dumps(body).encode())
        return await retried(attempt, self._budgets, self._turn)

    async def aclose(self) -> None:
        """Closes the connections of the running loop."""
        await self._server.aclose()

    async def _try(self, body: bytes, timeout_s: float) -> Output:
        self.sent += 1
        begun = time.monotonic()
        answer = await self._server.post(body, timeout_s)
        return replace(self._read(answer), seconds=time.monotonic() - begun)

    def _read(self, answer: bytes) -> Output:
        try:
            return self._wire.read(json.loads(answer))
        except Unreadable as unreadable:
            raise self._told(unreadable) from unreadable
        except (ValueError, RecursionError) as error:
            what = "sent an answer that is no whole JSON" if answer else "sent no body"
            raise self._server.error(what, "malformed") from error

    def _told(self, unreadable: Unreadable) -> ServerError:
        if unreadable.status is None:
            return self._server.error(f"sent an answer that {unreadable}", "malformed")
        return self._server.of_status(unreadable.status, f"sent an answer that {unreadable}")


def key_of(name: str | None) -> str:
    """The key in an environment variable; "" without a name.

    Raises:
        SpecError: the variable is not set, or holds what no header may; its value is not shown.
    """
    if name is None:
        return ""
    key = os.environ.get(name, "").strip()
    if not key:
        raise SpecError(f"the environment has no {name}, which `api_key_env` names; set it")
    if not (key.isascii() and key.isprintable()):
        raise SpecError(f"the key in {name} has characters that no key has; set it again")
    return key
