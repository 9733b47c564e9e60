"""The files of `/etc` that honest programs look into: who they are, and where localhost is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from evalsi_sandbox.namespaced.walls import TMP
from evalsi_sandbox.rlimits import NOBODY

__all__ = ["lay_out"]

_FILES: Final = {
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


def lay_out(folder: Path) -> None:
    """Writes them, readable by everybody."""
    folder.mkdir(exist_ok=True)
    for name, text in {**_FILES, **_users()}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o444)
    folder.chmod(0o755)  # whatever the umask


def _users() -> dict[str, str]:
    """Root, nobody, and the opener, whose number a jail keeps that root did not open."""
    numbers = {(os.getuid(), os.getgid()): "evalsi", (0, 0): "root", (NOBODY, NOBODY): "nobody"}
    users = [f"{name}:x:{uid}:{gid}::{TMP}:/bin/sh" for (uid, gid), name in numbers.items()]
    groups = [f"{name}:x:{gid}:" for (_, gid), name in numbers.items()]
    return {"passwd": "\n".join([*users, ""]), "group": "\n".join([*groups, ""])}
