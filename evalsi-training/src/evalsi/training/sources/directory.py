"""A trainer's output directory, with a folder a checkpoint."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalsi.training.pins import pin, pins_of, unpin
from evalsi.training.sources.contract import Found, SourceError
from evalsi.training.sources.whole import is_whole, signature_of
from evalsi.training.steps import Step

__all__ = ["Directory"]

_NAME: Final = re.compile(r"(?:checkpoint-|global_step_?|step[-_])(\d{1,18})", re.ASCII)


@dataclass(slots=True)
class _Seen:
    """How a folder looked, and since when it has looked so."""

    signature: Mapping[str, tuple[int, int]]
    since: float
    settled: bool = False


class Directory:
    """Folders named `checkpoint-N`, `global_step_N` or `step-N` in one directory.

    A checkpoint counts when it is whole (`is_whole`) and has been still for `settle` seconds, by
    a clock that nobody sets. One that has counted counts on while it is there.

    Args:
        path: the directory; it need not exist yet.
        settle: seconds without a change.
        marker: a file that the writer adds when a checkpoint is done; then it need not settle.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        settle: float = 30.0,
        marker: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = Path(path)
        self._settle = 0.0 if marker is not None else settle
        self._marker = marker
        self._clock = clock
        self._seen: dict[Path, _Seen] = {}

    def scan(self, done: Container[Step] = frozenset()) -> list[Found]:
        """As `CheckpointSource.scan`; of two folders of one step the first by name counts.

        What is found is pinned until its step is done, so that its trainer may delete it.
        """
        pinned = self._pins(done)
        found = {step: Found(step, str(folder)) for folder, step in pinned.items()}
        folders = {folder: step for folder, step in self._folders().items() if step not in done}
        self._seen = {folder: seen for folder, seen in self._seen.items() if folder in folders}
        for folder, step in sorted(folders.items()):
            if step not in found and self._counts(folder):
                found[step] = Found(step, str(_kept(folder)))
        return [found[step] for step in sorted(found)]

    def _pins(self, done: Container[Step]) -> dict[Path, int]:
        """What is pinned, after letting go of what is done."""
        held = _named(pins_of(self._path))
        for folder in [folder for folder, step in held.items() if step in done]:
            unpin(folder)
            del held[folder]
        return held

    @property
    def unsettled(self) -> bool:
        """Whether a checkpoint that is whole has not been still for long enough."""
        return any(not seen.settled for seen in self._seen.values())

    def _folders(self) -> dict[Path, int]:
        if not self._path.exists() and not self._path.parent.is_dir():
            raise SourceError(f"{self._path} and its parent are not there")
        try:
            return _named(self._path)
        except OSError as error:
            told = error.strerror or str(error)
            raise SourceError(f"{self._path} cannot be listed: {told}") from error

    def _counts(self, folder: Path) -> bool:
        seen = self._seen.get(folder)
        if seen is not None and seen.settled:
            return True
        try:
            if not is_whole(folder, self._marker):
                return False
            signature = signature_of(folder)
        except OSError:  # it changes while it is looked at
            return False
        if seen is None or seen.signature != signature:
            seen = self._seen[folder] = _Seen(signature, self._clock())
        seen.settled = self._clock() - seen.since >= self._settle
        return seen.settled


def _named(folder: Path) -> dict[Path, int]:
    """The folders that bear a checkpoint's name, with their steps; none where there is nothing."""
    try:
        with os.scandir(folder) as entries:
            names = [_NAME.fullmatch(entry.name) for entry in entries]
    except FileNotFoundError:  # the trainer makes it with its first checkpoint
        return {}
    return {folder / match[0]: int(match[1]) for match in names if match}


def _kept(folder: Path) -> Path:
    """The pin of a checkpoint, or itself where it cannot be pinned: a folder that is read-only."""
    try:
        return pin(folder)
    except OSError:
        return folder
