"""What every rung is made of."""

from __future__ import annotations

import sys

from evalsi.core.errors import SandboxUnavailable

__all__ = ["require"]


def require(rung: str) -> None:
    """Raises `SandboxUnavailable` on any other system."""
    if sys.platform != "linux":
        raise SandboxUnavailable(
            f"{rung} is made of what Linux offers, and this is {sys.platform}; "
            "mend: run evalsi on Linux, for example in a container"
        )
