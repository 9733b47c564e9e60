"""Checkpoints at any URL that fsspec opens. The only file that imports fsspec.

    source = Remote("s3://bucket/run")

Credentials and endpoints are what the store's own client reads from the environment.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Collection, Container, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from evalsi.core.errors import SpecError
from evalsi.training.sources.contract import Found, SourceError
from evalsi.training.sources.files import RemoteFile, asking
from evalsi.training.sources.names import step_of_folder
from evalsi.training.sources.stillness import Settled
from evalsi.training.sources.whole import place_in
from evalsi.training.steps import Step

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

__all__ = ["Remote", "StoreFolder", "knows", "opened"]

_EXTRAS: Final = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "hf": "hf"}
# By the names that s3fs, gcsfs, huggingface_hub and fsspec's own stores give them.
_VERSIONS: Final = ("ETag", "etag", "generation", "blob_id", "mtime", "LastModified", "created")


class Remote(Settled[Mapping[str, RemoteFile]]):
    """Folders named as a `Directory`'s are, at a URL.

    A checkpoint counts when its listing shows it whole and has been the same for `settle`
    seconds. It is downloaded when it is evaluated; nothing pins it until then.

    Args:
        location: the URL above the checkpoints; nothing need be under it yet.
        settle: seconds without a change.
        marker: a file that the writer adds when a checkpoint is done; then it need not settle.
        clock: seconds that only go forward.

    Raises:
        SpecError: the URL's library is not installed, or the URL holds a password.
    """

    def __init__(
        self,
        location: str,
        *,
        settle: float = 30.0,
        marker: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(settle, marker, clock)
        self.location = location
        self.store, self.path = opened(location)
        self._places: dict[str, str] = {}

    def scan(self, done: Container[Step] = frozenset()) -> list[Found]:
        """As `CheckpointSource.scan`; of two folders of one step the first by name counts."""
        with asking(self.location):
            self.store.invalidate_cache()
            named = self.folders()
            folders = {path: step for path, step in named.items() if step not in done}
            self._stillness.forget_others(folders)
            found: dict[int, Found] = {}
            for path, step in sorted(folders.items()):
                if step not in found and self._counts(path):
                    model = f"{path}/{self._places[path]}".rstrip("/")
                    found[step] = Found(step, self.store.unstrip_protocol(model))
        return [found[step] for step in sorted(found)]

    def folders(self) -> dict[str, int]:
        """The paths that bear a checkpoint's name, with their steps."""
        try:
            rows = self.store.ls(self.path, detail=True)
        except FileNotFoundError:  # a store has folders only while something is in them
            if not self.is_there():
                raise SourceError(f"{self.location} is not there") from None
            return {}
        above = f"{self.path.rstrip('/')}/"
        paths = (row["name"].rstrip("/") for row in rows if row["type"] == "directory")
        steps = ((path, step_of_folder(path.removeprefix(above))) for path in paths)
        return {path: step for path, step in steps if step is not None}

    def is_there(self) -> bool:
        """Whether the location's bucket is there, or in a store of real folders its parent."""
        folders, _, _ = self.path.rstrip("/").rpartition("/")
        bucket, _, _ = self.path.partition("/")
        return bool(self.store.exists(bucket or folders or "/"))

    def _counts(self, path: str) -> bool:
        if self._stillness.is_settled(path):
            return True
        folder = StoreFolder(self.store, path)
        files = folder.files()
        if not self._stillness.is_as_noted(path, files):
            place = folder.place(files, self._marker)
            if place is None:
                return False
            self._places[path] = place
        return self._stillness.note(path, files)


class StoreFolder:
    """A checkpoint in a store of fsspec's."""

    def __init__(self, store: AbstractFileSystem, path: str) -> None:
        self._store = store
        self._path = path.rstrip("/")

    def files(self) -> dict[str, RemoteFile]:
        """As `RemoteFolder.files`."""
        with asking(self._path):
            self._store.invalidate_cache()
            rows = self._store.find(self._path, detail=True)
        above = f"{self._path}/"
        return {
            path.removeprefix(above): _file(row)
            for path, row in rows.items()
            if path.startswith(above) and row["type"] == "file"
        }

    def place(self, files: Mapping[str, RemoteFile], marker: str | None = None) -> str | None:
        """Where in it a whole model lies, as `place_in` says, by what `files` gave."""
        return place_in(lambda name: files[name].size if name in files else None, self.read, marker)

    def model(self) -> StoreFolder:
        """The place in it where a whole model lies; itself where there is none."""
        place = self.place(self.files())
        return StoreFolder(self._store, f"{self._path}/{place}") if place else self

    def read(self, name: str) -> bytes:
        """What a file holds; raises SourceError."""
        with asking(self._path):
            return bytes(self._store.cat_file(f"{self._path}/{name}"))

    def fetch(self, names: Collection[str], into: Path) -> None:
        """As `RemoteFolder.fetch`."""
        with asking(self._path):
            places = [f"{self._path}/{name}" for name in names]
            self._store.get(places, [str(into / name) for name in names])


def knows(scheme: str) -> bool:
    """Whether fsspec has a store for a URL's scheme, installed or not."""
    try:
        from fsspec import available_protocols
    except ImportError:
        return scheme in _EXTRAS
    return scheme in available_protocols()


def opened(location: str) -> tuple[AbstractFileSystem, str]:
    """The store of a URL, and its path there.

    Raises:
        SpecError: the library of the scheme is not installed, or the URL holds a password.
    """
    scheme = location.partition("://")[0]
    if scheme != "hf" and urlsplit(location).password is not None:
        raise SpecError(f"a {scheme}:// location holds a password; give it by the environment")
    try:
        from fsspec.core import url_to_fs

        store, path = url_to_fs(location)
    except ImportError as error:
        extra = _EXTRAS.get(scheme)
        what = f"'evalsi-training[{extra}]'" if extra else "fsspec, and what it asks for"
        raise SpecError(
            f"{location} needs a library that is not installed: pip install {what}"
        ) from error
    except ValueError as error:
        raise SpecError(f"{location} cannot be opened: {error}") from error
    return store, str(path)


def _file(row: Mapping[str, Any]) -> RemoteFile:
    version = " ".join(str(row[name]) for name in _VERSIONS if row.get(name))
    return RemoteFile(int(row["size"] or 0), version, _digest(row))


def _digest(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """What gs and the Hugging Face hub tell; an ETag of S3 is a digest only where it looks so."""
    if lfs := row.get("lfs"):
        return "sha256", str(lfs["sha256"])
    if md5 := row.get("md5Hash"):
        return "md5", base64.b64decode(md5).hex()
    return None
