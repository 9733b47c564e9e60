"""Rewards: a spec composes verifiers into one number a rollout, with a breakdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalsi.core.results import Reward
from evalsi.core.reward.function import RewardFunction, Terms

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from evalsi.core.plugins import PluginHost

__all__ = ["Reward", "RewardFunction", "load", "load_reward"]


def load_reward(
    spec: str | Path | Mapping[str, Any], *, host: PluginHost | None = None
) -> RewardFunction:
    """The reward that a spec describes, refused as a whole when anything in it is wrong.

    Args:
        spec: a YAML or JSON file, or a mapping, with the envelope or as its bare body.
        host: where evaluators are found; by default every installed pack. Only a reward of
            installed packs pickles.

    Raises:
        SpecError: every issue at once, each with its place and what mends it.
    """
    from evalsi.core.engine import tools_for
    from evalsi.core.plugins import default_host
    from evalsi.core.reward.arithmetic import Rule, Weighing
    from evalsi.core.reward.spec import RewardSpec
    from evalsi.core.spec import load_and_bind

    document, bounds = load_and_bind(
        spec,
        RewardSpec,
        host=host or default_host(),
        tools=lambda ref, needs: tools_for(needs, ref.min_isolation),
    )
    body = document.spec
    weighings = [
        Weighing(part.name, part.weight, part.gate, part.threshold) for part in body.components
    ]
    return RewardFunction(
        document.as_dict(),
        Terms(
            document.name,
            document.fingerprint,
            cache=body.cache.enabled,
            reference_field=body.reference_field,
            group_field=body.group_field,
            deadline_s=body.deadline_seconds,
        ),
        Rule(tuple(weighings), body.floor, body.on_error, body.clip),
        bounds,
    )


load = load_reward
"""The name that users of the published product know."""
