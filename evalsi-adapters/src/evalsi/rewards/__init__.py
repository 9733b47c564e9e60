"""Rewards inside trainers: one module each for TRL, verl and OpenRLHF, over a loaded reward.

Names are imported at first use: whoever lists plugins imports this package, and no engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalsi.core.reward import Reward, RewardFunction, load, load_reward

__all__ = ["Reward", "RewardFunction", "load", "load_reward"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from evalsi.core import reward

    found: object = getattr(reward, name)
    return found
