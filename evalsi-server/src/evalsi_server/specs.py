"""The rewards that a server offers: its own by name, and, where it is told so, its clients'."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from evalsi.core.errors import SpecError
from evalsi.core.results import JSON
from evalsi.core.reward import load_reward
from evalsi.core.reward.function import RewardFunction
from evalsi.core.reward.spec import RewardSpec
from evalsi.core.spec import load
from evalsi_server.problems import Problem
from evalsi_server.scoring import Scorer, Served

__all__ = ["Specs"]

_KEPT: Final = 64
"""Specs of clients that stay loaded; a client sends its spec with every request."""


class Specs:
    """Finds the reward of a request.

    Args:
        paths: the server's own specs.
        scorer: what scores them.
        open_to_clients: whether clients may send any spec. A spec runs what it names, with the
            params that it states: a client that may send one is trusted with this machine.

    Raises:
        SpecError: a spec is wrong, or two have one name.
    """

    def __init__(self, paths: Sequence[str], scorer: Scorer, *, open_to_clients: bool) -> None:
        self._scorer = scorer
        self._open = open_to_clients
        self._own: dict[str, Served] = {}
        for path in paths:
            function = load_reward(Path(path))
            name = function.terms.name
            if name in self._own:
                raise SpecError(f"{path}: the name {name!r} is taken by another --spec; change one")
            self._own[name] = scorer.served(function, name)
        self._same = {one.function.terms.fingerprint: one for one in self._own.values()}
        self._sent: OrderedDict[str, Served] = OrderedDict()

    @property
    def own(self) -> list[RewardFunction]:
        """The server's own rewards."""
        return [served.function for served in self._own.values()]

    def named(self, name: str | None) -> Served:
        """The server's reward of that name, or without a name its only one.

        Raises:
            Problem: it has none of that name, or a name is needed.
        """
        if name is None and len(self._own) > 1:
            raise Problem("unknown-spec", f"name the spec; this server has {self._names()}")
        found = next(iter(self._own.values())) if name is None else self._own.get(name)
        if found is None:
            raise Problem(
                "unknown-spec", f"no spec is named {name!r}; this server has {self._names()}"
            )
        return found

    async def sent(self, spec: Mapping[str, JSON]) -> Served:
        """The reward of a spec that a client sent; one of the server's own where it is equal.

        Raises:
            SpecError: it is wrong.
            Problem: it is none of the server's own, and clients may send no other.
        """
        fingerprint = (await asyncio.to_thread(load, spec, RewardSpec)).fingerprint
        found = self._same.get(fingerprint) or self._sent.get(fingerprint)
        if found is None:
            if not self._open:
                raise Problem(
                    "forbidden",
                    f"this server scores its own specs only: {self._names()}; "
                    f"--allow-specs lets clients send theirs",
                )
            function = await asyncio.to_thread(load_reward, spec)
            # Another request may have sent it meanwhile.
            found = self._sent.setdefault(fingerprint, self._scorer.served(function, None))
        if fingerprint in self._sent:
            self._sent.move_to_end(fingerprint)
            while len(self._sent) > _KEPT:
                self._sent.popitem(last=False)
        return found

    def _names(self) -> str:
        return ", ".join(sorted(self._own))
