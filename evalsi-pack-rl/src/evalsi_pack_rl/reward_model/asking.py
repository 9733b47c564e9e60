"""A reward model's server asked for many records: tries, and a bad record told from its neighbours.

A request that is refused as a whole is asked again in halves, until only the records remain that
the server does not take. What an outage is, is not split: all its records err.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

from evalsi.core.errors import ServerError
from evalsi.core.http import Budgets, Server, retried
from evalsi_pack_rl.reward_model.wires import Row, Unreadable, Wire

__all__ = ["Asked", "Given", "RewardServer"]

_OF_A_RECORD: Final = frozenset({400, 413, 422, 500})
"""Statuses that one record of many may cause: too long, too large, not readable, a crash."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a server gave for one record.

    Attributes:
        value: what stands where its number should.
        model: the server's word for its model, or "".
    """

    value: Any
    model: str


Asked: TypeAlias = Given | ServerError


class RewardServer:
    """Asks one server over one wire. Safe from many event loops.

    Args:
        server: where.
        wire: how.
        budgets: how often, and how long for all the requests of a call.
    """

    def __init__(self, server: Server, wire: Wire, budgets: Budgets) -> None:
        self._server = server
        self._wire = wire
        self._budgets = budgets

    async def ask(self, rows: Sequence[Row]) -> list[Asked]:
        """What each row got, in order: in one request, or in one a row where the wire says so."""
        ends_at = time.monotonic() + self._budgets.deadline_s
        if not self._wire.single:
            return await self._asked(rows, self._budgets, ends_at)
        each = [self._asked([row], self._budgets, ends_at) for row in rows]
        return [asked for [asked] in await asyncio.gather(*each)]

    async def _asked(self, rows: Sequence[Row], budgets: Budgets, ends_at: float) -> list[Asked]:
        left = replace(budgets, deadline_s=ends_at - time.monotonic())
        # ASCII, so that a lone surrogate travels as JSON writes it.
        body = json.dumps(self._wire.body(rows)).encode()
        try:
            return await retried(partial(self._try, body, len(rows)), left)
        except ServerError as error:
            if len(rows) == 1 or error.status not in _OF_A_RECORD:
                return [error] * len(rows)
            untold = error.again(f"{error} (for {len(rows)} records; no time to tell which)")
        if untold.status == 500:
            budgets = replace(budgets, server=0)  # it was tried often enough
        found: list[Asked] = []
        middle = len(rows) // 2
        # One after the other: a server in trouble gets no more requests at once than before.
        for half in (rows[:middle], rows[middle:]):
            late = time.monotonic() >= ends_at
            found += [untold] * len(half) if late else await self._asked(half, budgets, ends_at)
        return found

    async def _try(self, body: bytes, count: int, timeout_s: float) -> list[Asked]:
        answer = await self._server.post(body, timeout_s)
        try:
            found = json.loads(answer)
            values = self._wire.read(found, count)
        except Unreadable as unreadable:
            raise self._server.error(
                f"sent an answer that {unreadable}", "malformed"
            ) from unreadable
        except (ValueError, RecursionError) as error:
            what = "sent an answer that is no whole JSON" if answer else "sent no body"
            raise self._server.error(what, "malformed") from error
        model = found.get("model")
        return [Given(value, model if isinstance(model, str) else "") for value in values]
