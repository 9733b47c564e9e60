"""Checkpoints that were downloaded: each whole or not there, within a bound, of all processes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import IO, Final

from evalsi.training.sources.contract import SourceError
from evalsi.training.sources.entries import Entry, held, leftovers, remove, removed
from evalsi.training.sources.files import RemoteFile, asking

__all__ = ["Cache"]

_GIB: Final = 1024**3


class Cache:
    """A bounded folder of downloads; the least recently used goes first, none that is in use.

    Safe with several processes and threads.

    Args:
        folder: where; by default `evalsi/checkpoints` in the user's cache folder.
        max_gib: GiB that the entries may take together; what is in use may take more.
    """

    def __init__(self, folder: str | Path | None = None, *, max_gib: float = 64.0) -> None:
        self.folder = _default() if folder is None else Path(folder)
        self._most = int(max_gib * _GIB)

    @contextlib.contextmanager
    def holding(
        self,
        location: str,
        files: Mapping[str, RemoteFile],
        fetch: Callable[[Collection[str], Path], None],
    ) -> Iterator[Path]:
        """A folder with these files, which stays while the block runs.

        Args:
            location: where they are from.
            files: what a store lists.
            fetch: writes files into a folder; is called where they are not here yet.

        Raises:
            SourceError: they cannot be had, or kept here; the message says why.
        """
        entry = Entry(self.folder, location, files)
        while True:
            with self._held(entry, fcntl.LOCK_SH) as lock:
                if entry.is_whole():
                    os.utime(lock.fileno())
                    yield entry.place
                    return
            with self._held(entry, fcntl.LOCK_EX) as lock:
                if not entry.is_whole():
                    self._download(entry, lock, fetch)

    def _held(self, entry: Entry, how: int) -> IO[str]:
        with self._kept():
            self.folder.mkdir(parents=True, exist_ok=True)
            return held(entry.lock, how)

    def _download(
        self, entry: Entry, lock: IO[str], fetch: Callable[[Collection[str], Path], None]
    ) -> None:
        try:
            with self._kept():
                self._make_room(entry, lock)
                entry.begin()
            fetch(list(entry.files), entry.half)
            with self._kept():
                entry.finish()
        except BaseException:
            remove(entry.lock)
            raise

    def _make_room(self, entry: Entry, lock: IO[str]) -> None:
        """Reserves an entry's bytes, which others then reckon with, and removes older ones."""
        with held(self.folder / "room", fcntl.LOCK_EX):
            for left in leftovers(self.folder):
                removed(left)
            others = (one for one in self.folder.glob("*.lock") if one != entry.lock)
            sizes = {one: _size(one) for one in sorted(others, key=_used)}
            taken = sum(sizes.values())
            for other, size in sizes.items():
                if taken + entry.size <= self._most:
                    break
                taken -= size if removed(other) else 0
            lock.truncate(0)
            lock.write(str(entry.size))
            lock.flush()
        free = shutil.disk_usage(self.folder).free
        if free < entry.size:
            raise SourceError(
                f"the disk has {free / _GIB:.1f} GiB left, and {entry.place.name} takes "
                f"{entry.size / _GIB:.1f}; give a --cache-dir on a larger one"
            )

    @contextlib.contextmanager
    def _kept(self) -> Iterator[None]:
        with asking(f"the cache {self.folder}"):
            yield


def _size(lock: Path) -> int:
    """Bytes of an entry; 0 where it is about to be made, or was removed."""
    try:
        return int(lock.read_text("utf-8"))
    except (OSError, ValueError):
        return 0


def _used(lock: Path) -> float:
    """When an entry was last used."""
    try:
        return lock.stat().st_mtime
    except OSError:
        return 0.0


def _default() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "evalsi" / "checkpoints"
