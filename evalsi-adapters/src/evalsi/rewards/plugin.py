"""What the distribution registers: descriptors only, so that listing imports no library."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__all__ = ["evalsi_register_commands"]


@hookimpl
def evalsi_register_commands() -> list[Plugin]:
    """Commands."""
    return [
        Plugin(
            "rewards config verl",
            "evalsi.rewards.config_verl:verl",
            "Print the overrides that make verl use a reward.",
        ),
        Plugin(
            "rewards config openrlhf",
            "evalsi.rewards.config_openrlhf:openrlhf",
            "Print the flag that makes OpenRLHF use a reward.",
        ),
    ]
