"""Core's own plugins: its commands, registered through the hook that any pack uses."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__all__ = ["evalsi_register_commands"]


@hookimpl
def evalsi_register_commands() -> list[Plugin]:
    """Core's commands; also the table that `evalsi --help` prints without loading any plugin."""
    return [
        Plugin(
            "rewards score",
            "evalsi.core.cli.rewards:score",
            "Score rollouts with a reward spec.",
        ),
        Plugin(
            "plugins",
            "evalsi.core.cli.plugins:plugins",
            "List plugins: where each comes from, and which packs failed.",
        ),
        Plugin(
            "catalog",
            "evalsi.core.cli.catalog:catalog",
            "Show evaluators with their params, defaults and metrics.",
        ),
        Plugin(
            "sandbox check",
            "evalsi.core.cli.sandbox:check",
            "Try each rung of the sandbox: usable, or why not and what mends it.",
        ),
    ]
