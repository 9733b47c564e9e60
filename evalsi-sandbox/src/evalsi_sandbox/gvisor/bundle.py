"""What gVisor is told to build: an OCI bundle with the host's system, read-only, as its root.

Source: the OCI runtime specification, `config.md` and `config-linux.md`, 1.0.2.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalsi_sandbox.namespaced import etc
from evalsi_sandbox.namespaced.walls import HOSTNAME, SHM, TMP, Bind, in_system, system

if TYPE_CHECKING:
    from evalsi.core.sandbox import JailSpec
    from evalsi_sandbox.interpreter import Interpreter

__all__ = ["lay_out"]

_GUEST: Final = Path(__file__).with_name("guest.py")
_POWERS: Final = ("CAP_KILL", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID")  # of the guest alone
_MIB: Final = 1024 * 1024


def lay_out(bundle: Path, spec: JailSpec, python: Interpreter, box: Path) -> None:
    """Writes the bundle: its configuration, and a root folder of empty places to mount on."""
    root = bundle / "rootfs"
    root.mkdir(parents=True)
    for name in ("proc", "sys", "dev", "tmp", "box"):
        (root / name).mkdir()
    etc.lay_out(root / "etc")
    binds = list(system())
    if not in_system(python.prefix):
        binds.append(Bind(python.prefix))
    for bind in binds:
        _place(root, bind)
    binds.append(Bind(Path("/box"), source=box))
    config = {
        "ociVersion": "1.0.2",
        "process": _process(python),
        "root": {"path": str(root), "readonly": True},
        "hostname": HOSTNAME,
        "mounts": [*_rooms(spec), *_mounts(binds)],
        "linux": {
            "namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")]
        },
    }
    (bundle / "config.json").write_text(json.dumps(config))


def _process(python: Interpreter) -> dict[str, object]:
    return {
        "user": {"uid": 0, "gid": 0},
        "args": [str(python.executable), "-I", "-S", "-c", _GUEST.read_text()],
        "env": [],
        "cwd": TMP,
        "noNewPrivileges": True,
        "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), _POWERS),
    }


def _rooms(spec: JailSpec) -> list[dict[str, object]]:
    return [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
        _room(TMP, spec.tmp_mb),
        _room(SHM, spec.shm_mb),
    ]


def _room(path: str, size_mb: int) -> dict[str, object]:
    options = ["mode=1777", f"size={size_mb * _MIB}"]
    return {"destination": path, "type": "tmpfs", "source": "tmpfs", "options": options}


def _mounts(binds: Iterable[Bind]) -> list[dict[str, object]]:
    return [
        {
            "destination": str(bind.path),
            "type": "bind",
            "source": str(bind.source or bind.path),
            "options": ["rbind", "ro"],
        }
        for bind in binds
        if bind.link is None
    ]


def _place(root: Path, bind: Bind) -> None:
    """A link, or something empty to mount on."""
    place = root / bind.path.relative_to("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    if bind.link is not None:
        place.symlink_to(bind.link)
    elif bind.path.is_dir():
        place.mkdir(exist_ok=True)
    else:
        place.touch()
