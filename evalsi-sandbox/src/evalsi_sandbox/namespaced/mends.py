"""What mends a tool that does not work, by its last words."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

__all__ = ["mend_for", "shown"]

_NOISE: Final = ("no version information available", "[I][")
_APPARMOR: Final = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_CLONE: Final = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MENDS: Final = {
    "error while loading shared libraries": "apt-get install libnl-route-3-200",
    "libnl": "apt-get install libnl-route-3-200",
    "Can't mount proc": "in a container: run it with --security-opt systempaths=unconfined",
    "mount('proc'": "in a container: run it with --security-opt systempaths=unconfined",
    "Permission denied": "put Python where every user may read it, for example below /opt",
}
_NAMESPACES: Final = ("namespace", "Operation not permitted", "uid map", "clone(")


def mend_for(words: str, default: str) -> str:
    """The command or setting that mends what the words complain about."""
    if any(hint in words for hint in _NAMESPACES) and (mend := _namespaces()) is not None:
        return mend
    return next((mend for hint, mend in _MENDS.items() if hint in words), default)


def shown(words: bytes) -> str:
    """The part of a tool's stderr that says something, on one line."""
    lines = words.decode("utf-8", "replace").splitlines()
    said = [line.strip() for line in lines if not any(noise in line for noise in _NOISE)]
    return "; ".join(said)[-500:] or "it said nothing"


def _namespaces() -> str | None:
    if _is(_APPARMOR, "1"):
        return "sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    if _is(_CLONE, "0"):
        return "sysctl kernel.unprivileged_userns_clone=1"
    if _contained():
        return (
            "run the container with --security-opt seccomp=unconfined (Kubernetes: seccompProfile "
            "of type Unconfined), or let minIsolation be confined"
        )
    return None


def _contained() -> bool:
    """Whether somebody has filtered our own system calls, as container runtimes do."""
    if any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")):
        return True
    with contextlib.suppress(OSError):
        return "\nSeccomp:\t2" in Path("/proc/self/status").read_text()
    return False


def _is(setting: Path, value: str) -> bool:
    try:
        return setting.read_text().strip() == value
    except OSError:
        return False
