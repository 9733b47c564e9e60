"""Folders that belong to a living owner: whoever can lock one may remove it.

A lease is a folder that its holder keeps flocked. The kernel lets go of the lock when the holder
ends, however it ends, so the next opener finds and removes what a killed one left behind. No
process id is trusted: they are used again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evalsi.core.errors import SandboxUnavailable

__all__ = ["Lease", "hold", "orphans", "remove_tree"]

_CGROUPS: Final = "cgroups"
_PASSABLE: Final = 0o711  # set by chmod: a strict umask would keep nobody out of nobody's jail


class Lease:
    """A locked folder, and the cgroup folders that must go with it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def note_cgroups(self, folders: list[str]) -> None:
        """Writes down cgroup folders before they are made, for whoever may have to sweep."""
        (self.path / _CGROUPS).write_text("\n".join(folders))

    def cgroups(self) -> list[str]:
        """The cgroup folders that were noted."""
        try:
            return (self.path / _CGROUPS).read_text().splitlines()
        except FileNotFoundError:
            return []

    def release(self) -> None:
        """Removes the folder and lets go of the lock; what cannot go waits for the next sweep."""
        with contextlib.suppress(OSError):  # out of descriptors
            remove_tree(self.path)
        os.close(self._descriptor)

    def leave(self) -> None:
        """Lets go of the lock alone; the folder waits for the next sweep."""
        os.close(self._descriptor)


def hold() -> Lease:
    """Makes a folder and locks it, against a sweeper that may look in between.

    Raises:
        SandboxUnavailable: no folder can be made or locked; none is left behind.
    """
    while True:
        path = _home() / secrets.token_hex(8)
        try:
            path.mkdir()
            path.chmod(_PASSABLE)
            lease = _locked(path)
        except FileNotFoundError:
            continue  # a sweeper took the new folder for an orphan
        except OSError as error:
            with contextlib.suppress(OSError):
                path.rmdir()
            raise SandboxUnavailable(
                f"cannot make and lock a folder for a jail in {path.parent}: {error.strerror}; "
                "mend: let this process open more files, or set TMPDIR to a local folder"
            ) from error
        if lease is not None:
            return lease


def orphans() -> Iterator[Lease]:
    """Locks and yields every lease whose holder is gone, as far as they can be opened."""
    home = _home()
    with contextlib.suppress(OSError):
        for name in os.listdir(home):  # noqa: PTH208 - read at once: no descriptor stays open
            lease = _locked(home / name)
            if lease is not None:
                yield lease


def _locked(path: Path) -> Lease | None:
    """A lease on a folder; None when another holds it or it is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.stat().st_ino == os.fstat(descriptor).st_ino:
            return Lease(path, descriptor)
    except (BlockingIOError, FileNotFoundError):
        pass  # held by a living owner, or removed while we looked
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _home() -> Path:
    """One folder a user; others may pass through it but not list it."""
    path = Path(tempfile.gettempdir()) / f"evalsi-jails-{os.geteuid()}"
    try:
        path.mkdir(exist_ok=True)
        found = path.lstat()
        ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
        if ours and stat.S_IMODE(found.st_mode) != _PASSABLE:
            path.chmod(_PASSABLE)
    except OSError as error:
        raise SandboxUnavailable(
            f"cannot make {path}, where jails keep their folders: {error.strerror}; "
            "mend: set TMPDIR to a folder of your own"
        ) from error
    if not ours:
        raise SandboxUnavailable(
            f"{path} belongs to somebody else, so jails cannot keep their folders in it; "
            "mend: remove it, or set TMPDIR to a folder of your own"
        )
    return path


def remove_tree(top: Path) -> None:
    """Removes a folder that a hostile program may have filled.

    Folders are hoisted to the top one by one, so no path grows long and nothing recurses; every
    step goes by descriptor, so a symbolic link leads nowhere.
    """
    root = _opened(str(top), None)
    try:
        while names := os.listdir(root):  # noqa: PTH208 - by descriptor
            for name in names:
                _drop(name, root)
    finally:
        os.close(root)
    top.rmdir()


def _drop(name: str, root: int) -> None:
    if _unlinked(name, root):
        return
    folder = _opened(name, root)
    try:
        for inner in os.listdir(folder):  # noqa: PTH208 - by descriptor
            if not _unlinked(inner, folder):
                os.close(_opened(inner, folder))  # a folder without write permission cannot move
                away = f"hoisted-{secrets.token_hex(8)}"
                os.rename(inner, away, src_dir_fd=folder, dst_dir_fd=root)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=root)


def _unlinked(name: str, folder: int) -> bool:
    try:
        os.unlink(name, dir_fd=folder)
    except IsADirectoryError:
        return False
    return True


def _opened(name: str, parent: int | None) -> int:
    flags = os.O_DIRECTORY | os.O_CLOEXEC
    handle = os.open(name, flags | os.O_PATH | os.O_NOFOLLOW, dir_fd=parent)
    try:
        Path(f"/proc/self/fd/{handle}").chmod(0o700)
        return os.open(f"/proc/self/fd/{handle}", flags | os.O_RDONLY)
    finally:
        os.close(handle)
