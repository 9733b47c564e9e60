"""Entries of the cache of checkpoints, and who holds them.

An entry is `<key>/<checkpoint's name>/`, with `<key>.lock` beside it that holds its size in bytes.
Who uses it holds its lock shared, who makes or removes it alone. What is being downloaded or
removed lies in `<key>.half`; one that nobody holds was left by a kill.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from evalsi.training.serving.contract import ServingError
from evalsi.training.sources.contract import SourceError
from evalsi.training.sources.files import RemoteFile

__all__ = ["Entry", "held", "leftovers", "remove", "removed"]


class Entry:
    """One checkpoint, whether it is there or not.

    Args:
        folder: the cache.
        location: where it is from; its last part names the checkpoint's folder.
        files: by name; another size or version makes another entry.

    Attributes:
        files: as given.
        size: bytes.
        lock: its lock file.
        half: what is downloaded into.
        place: the checkpoint's folder when it is whole.
    """

    def __init__(self, folder: Path, location: str, files: Mapping[str, RemoteFile]) -> None:
        told = [[name, file.size, file.version] for name, file in sorted(files.items())]
        key = hashlib.sha256(json.dumps([location, told]).encode()).hexdigest()[:32]
        self.files = files
        self.size = sum(file.size for file in files.values())
        self.lock = folder / f"{key}.lock"
        self.half = folder / f"{key}.half" / _name_of(location)
        self.place = folder / key / self.half.name

    def is_whole(self) -> bool:
        """Whether every file is there: a cleaner of temporary files may have had some."""
        try:
            return all(
                (self.place / name).stat().st_size == file.size for name, file in self.files.items()
            )
        except OSError:
            return False

    def begin(self) -> None:
        """Makes the folder that is downloaded into, empty; it is held alone."""
        for old in (self.half.parent, self.place.parent):
            shutil.rmtree(old, ignore_errors=True)
        self.half.mkdir(parents=True)

    def finish(self) -> None:
        """Verifies what was downloaded, and has it appear.

        Raises:
            SourceError: a file did not come whole.
            ServingError: a file's content is not what its store says it is.
        """
        for name, file in self.files.items():
            _verify(self.half / name, file)
        self.half.parent.rename(self.place.parent)


def held(path: Path, how: int) -> IO[str]:
    """Holds a lock file, shared or alone as `flock` says, until what is given is closed.

    Raises:
        BlockingIOError: another holds it, and `how` does not wait.
    """
    while True:
        lock = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(lock, how)
            # Who removed the entry while we waited removed this file too, and it locks nothing.
            if path.stat().st_ino == os.fstat(lock.fileno()).st_ino:
                return lock
        except FileNotFoundError:
            pass
        except BaseException:
            lock.close()
            raise
        lock.close()


def removed(lock: Path) -> bool:
    """Removes the entry of a lock file, and whatever is left of it, unless it is held."""
    try:
        with held(lock, fcntl.LOCK_EX | fcntl.LOCK_NB):
            remove(lock)
    except BlockingIOError:
        return False
    return True


def remove(lock: Path) -> None:
    """Removes an entry that is held alone: what is half removed is no entry any more."""
    half = lock.with_suffix(".half")
    shutil.rmtree(half, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        lock.with_suffix("").rename(half)
    shutil.rmtree(half, ignore_errors=True)
    lock.unlink(missing_ok=True)


def leftovers(folder: Path) -> set[Path]:
    """The locks of what is no entry, or not yet."""
    locks = {half.with_suffix(".lock") for half in folder.glob("*.half")}
    return locks | {lock for lock in folder.glob("*.lock") if not lock.with_suffix("").exists()}


def _verify(path: Path, file: RemoteFile) -> None:
    if not path.is_file() or path.stat().st_size != file.size:
        raise SourceError(f"{path.name} did not come with {file.size} bytes")
    with path.open("rb+") as opened:
        os.fsync(opened.fileno())
        if file.digest is None:
            return
        algorithm, digest = file.digest
        if hashlib.file_digest(opened, algorithm).hexdigest() != digest:
            # Counted as a try: a store that is wrong about this would send it for ever.
            raise ServingError(
                f"{path.name} did not come with the {algorithm} that its store tells"
            )


def _name_of(location: str) -> str:
    last = location.rstrip("/").replace(":", "/").rpartition("/")[2]
    kept = "".join(letter if letter.isalnum() or letter in "-_.@" else "_" for letter in last)
    return kept.strip(".") or "checkpoint"
