"""What the server registers: descriptors only, so that listing plugins imports no library."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__all__ = ["evalsi_register_commands"]


@hookimpl
def evalsi_register_commands() -> list[Plugin]:
    """The server's commands, which extend core's group `rewards`."""
    return [
        Plugin(
            "rewards serve",
            "evalsi_server.command:serve",
            "Serve rewards over HTTP, to OpenRLHF and to other processes.",
        )
    ]
