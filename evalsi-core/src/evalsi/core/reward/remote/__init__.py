"""A reward whose evaluators run in a server: the same face, the same numbers, none of the packs.

`load_reward(spec, server=...)` is the way in; `docs/reference/remote-scoring.md` describes what is
sent, tried again, and told.
"""

from __future__ import annotations

from evalsi.core.reward.remote.function import RemoteReward
from evalsi.core.reward.remote.settings import RemoteServer

__all__ = ["RemoteReward", "RemoteServer"]
