"""The hook that registers the rungs; imports nothing of them."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__all__ = ["evalsi_register_sandbox_rungs"]


@hookimpl
def evalsi_register_sandbox_rungs() -> list[Plugin]:
    """The rungs of this distribution, weakest first."""
    return [
        Plugin(
            "process",
            "evalsi_sandbox.process:ProcessRung",
            "A process with limits and a folder of its own; sees the host's files and network.",
        ),
        Plugin(
            "confined",
            "evalsi_sandbox.confined:ConfinedRung",
            "Landlock and a filter of system calls, where no namespaces can be made.",
        ),
        Plugin(
            "namespaced",
            "evalsi_sandbox.namespaced:NamespacedRung",
            "Namespaces of its own without network, by bubblewrap or nsjail.",
        ),
        Plugin(
            "gvisor",
            "evalsi_sandbox.gvisor:GvisorRung",
            "A kernel of its own, by gVisor's runsc.",
        ),
    ]
