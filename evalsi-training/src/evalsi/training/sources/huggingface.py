"""Checkpoints on the Hugging Face hub. The only file that imports huggingface_hub.

    hf://owner/name                   branches and tags named as steps, and folders of `main`
    hf://owner/name@revision/folder   folders there

With `HF_HUB_OFFLINE=1` they are what the client's own cache holds, and lie there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from evalsi.core.errors import SpecError
from evalsi.training.sources.contract import CheckpointSource, Found, SourceError
from evalsi.training.sources.files import asking
from evalsi.training.sources.fsspec import Remote, StoreFolder, opened
from evalsi.training.sources.names import step_of_folder, step_of_revision
from evalsi.training.sources.whole import is_whole
from evalsi.training.steps import Step

if TYPE_CHECKING:
    from huggingface_hub import CachedRepoInfo

__all__ = ["hub", "hub_folder"]

_FORM: Final = re.compile(r"hf://(?P<repo>[^/@]+/[^/@]+)(?:@(?P<revision>[^/]+))?(?P<folder>/.*)?")


def hub(location: str, *, settle: float = 30.0, marker: str | None = None) -> CheckpointSource:
    """The source of a repository: the hub's, or the local cache's where the client is offline.

    Args:
        location: `hf://owner/name[@revision][/folder]`.
        settle: seconds without a commit that changes a checkpoint.
        marker: a file that the writer adds when a checkpoint is done; then it need not settle.

    Raises:
        SpecError: the location has another form, or `huggingface_hub` is not installed.
    """
    place = _Place.at(location)
    if _is_offline(location):
        return _Snapshots(place, marker)
    return _Repository(place, settle=settle, marker=marker)


def hub_folder(location: str) -> StoreFolder | Path:
    """A checkpoint on the hub, or its folder in the local cache where the client is offline.

    Raises:
        SpecError: as `hub`.
        SourceError: the client is offline, and its cache has no whole checkpoint there.
    """
    place = _Place.at(location)
    if not _is_offline(location):
        return StoreFolder(*opened(location)).model()
    with asking(location):
        folder = _revisions(place.repo).get(place.revision or "main")
    if folder is None or not is_whole(folder / place.folder):
        raise SourceError(f"{location} is not whole in the local cache, and HF_HUB_OFFLINE is set")
    return folder / place.folder


@dataclass(frozen=True, slots=True)
class _Place:
    location: str
    repo: str
    revision: str | None
    folder: str

    @classmethod
    def at(cls, location: str) -> _Place:
        match = _FORM.fullmatch(location)
        folder = ((match and match["folder"]) or "").strip("/")
        if match is None or ".." in folder.split("/"):
            raise SpecError(f"{location} is no place on the hub; write hf://owner/name[@revision]")
        revision = match["revision"] and unquote(match["revision"])
        return cls(location, match["repo"], revision, folder)

    @property
    def has_steps_as_revisions(self) -> bool:
        """Whether the whole repository is meant, with all of its branches and tags."""
        return self.revision is None and not self.folder


class _Repository(Remote):
    def __init__(self, place: _Place, **options: Any) -> None:
        super().__init__(place.location, **options)
        self._place = place

    def folders(self) -> dict[str, int]:
        found = super().folders()
        if self._place.has_steps_as_revisions:
            from huggingface_hub import HfApi

            refs = HfApi().list_repo_refs(self._place.repo)
            for ref in [*refs.branches, *refs.tags]:
                if (step := step_of_revision(ref.name)) is not None:
                    found[f"{self._place.repo}@{ref.name}"] = step
        return found

    def is_there(self) -> bool:
        """Whether the repository is; a revision or a folder of it may come later."""
        from huggingface_hub import HfApi

        return bool(HfApi().repo_exists(self._place.repo))


class _Snapshots:
    """What the local cache holds; nothing changes there while the client is offline."""

    def __init__(self, place: _Place, marker: str | None) -> None:
        self._place = place
        self._marker = marker

    def scan(self, done: Container[Step] = frozenset()) -> list[Found]:
        """As `CheckpointSource.scan`; a folder of `main` goes before a revision of its step."""
        with asking(self._place.location):
            revisions = _revisions(self._place.repo)
            found: dict[int, Path] = {}
            if self._place.has_steps_as_revisions:
                found = _by_step(revisions, step_of_revision)
            if root := revisions.get(self._place.revision or "main"):
                found |= _by_step(_children(root / self._place.folder), step_of_folder)
            return [
                Found(step, str(folder))
                for step, folder in sorted(found.items())
                if step not in done and is_whole(folder, self._marker)
            ]


def _revisions(repo: str) -> dict[str, Path]:
    """The snapshots of a repository in the local cache, by branch, tag and commit."""
    from huggingface_hub import scan_cache_dir

    found: dict[str, Path] = {}
    repos: list[CachedRepoInfo] = [
        one for one in scan_cache_dir().repos if (one.repo_id, one.repo_type) == (repo, "model")
    ]
    for one in repos:
        found |= {revision.commit_hash: revision.snapshot_path for revision in one.revisions}
        found |= {ref: revision.snapshot_path for ref, revision in one.refs.items()}
    return found


def _children(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in folder.iterdir()} if folder.is_dir() else {}


def _by_step(places: dict[str, Path], step_of: Callable[[str], int | None]) -> dict[int, Path]:
    steps = ((step_of(name), place) for name, place in sorted(places.items(), reverse=True))
    return {step: place for step, place in steps if step is not None}


def _is_offline(location: str) -> bool:
    try:
        from huggingface_hub.constants import HF_HUB_OFFLINE
    except ImportError as error:
        raise SpecError(
            f"{location} needs a library that is not installed: pip install 'evalsi-training[hf]'"
        ) from error
    return bool(HF_HUB_OFFLINE)
