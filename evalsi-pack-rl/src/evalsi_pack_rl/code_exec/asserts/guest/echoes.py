"""What a test does to its interpreter that the program's follows: chance, the environment."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalsi_pack_rl.code_exec.asserts.guest.peer import Peer


SEED = random.seed


def follow(peer: Peer, text: str) -> None:
    """Has the candidate's process follow, where a test's text says that there may be something."""
    if "seed" in text:
        _follow_seeds(peer)
    if "env" in text:
        _follow_environment(peer)


def _follow_seeds(peer: Peer) -> None:
    def seed(*args: Any, **kwargs: Any) -> None:
        SEED(*args, **kwargs)
        peer.ask("seed", *args, **kwargs)

    random.seed = seed


def _follow_environment(peer: Peer) -> None:
    last = dict(os.environ)

    def tell() -> None:
        now = dict(os.environ)
        changes = {name: now.get(name) for name in {*last, *now} if last.get(name) != now.get(name)}
        last.clear()
        last.update(now)
        if changes:
            peer.ask("environ", changes)

    peer.before = tell
