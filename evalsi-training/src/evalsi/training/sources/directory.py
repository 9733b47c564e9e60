"""A trainer's output directory, with a folder a checkpoint."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Mapping
from pathlib import Path

from evalsi.training.pins import NOBODY, pin, pins_of, replaced, unpin
from evalsi.training.sources.contract import Found, SourceError
from evalsi.training.sources.names import step_of_folder
from evalsi.training.sources.stillness import Settled
from evalsi.training.sources.whole import model_in, signature_of
from evalsi.training.steps import Step

__all__ = ["Directory"]


class Directory(Settled[Mapping[str, tuple[int, int]]]):
    """Folders named `checkpoint-N`, `global_step_N` or `step-N` in one directory.

    A checkpoint counts when it holds a whole model (`place_in`) and has been still for `settle`
    seconds, by a clock that nobody sets. One that has counted counts on while it is there.

    Args:
        path: the directory; it need not exist yet.
        settle: seconds without a change.
        marker: a file that the writer adds when a checkpoint is done; then it need not settle.
        training_run: whose pins these are; another's are left alone.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        settle: float = 30.0,
        marker: str | None = None,
        training_run: str = NOBODY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(settle, marker, clock)
        self._path = Path(path)
        self._owner = training_run
        self._pinned = pins_of(self._path, training_run)
        self._models: dict[str, str] = {}
        self._looks: dict[str, tuple[int, int] | None] = {}
        self._again: set[str] = set()

    def scan(self, done: Container[Step] = frozenset()) -> list[Found]:
        """As `CheckpointSource.scan`; of two folders of one step the first by name counts.

        What is found is pinned until its step is done, so that its trainer may delete it. One that
        is saved again meanwhile counts as new.
        """
        pins = self._pins(done)
        folders = {name: step for name, step in self._folders().items() if step not in done}
        self._stillness.forget_others(folders)
        held = self._held(pins, folders)
        found = {step: Found(step, self._models[name]) for name, step in held.items()}
        for name in sorted(name for name, step in folders.items() if step not in found):
            if (step := folders[name]) not in found and self._counts(name):
                found[step] = Found(step, _model(self._kept(name)))
        return [found[step] for step in sorted(found)]

    def _held(self, pins: Mapping[str, int], folders: Container[str]) -> dict[str, int]:
        """The pins that count: of what was saved again since, what is there now does."""
        again = {name for name in pins if name in folders and self._is_replaced(name)}
        for name in again - self._again:
            self._stillness.forget(name)
        self._again = again
        held = {name: step for name, step in pins.items() if name not in again}
        self._looks = {name: self._looks[name] for name in held if name in self._looks}
        self._models = {n: self._models.get(n) or _model(self._pinned / n) for n in held}
        return held

    def _is_replaced(self, name: str) -> bool:
        looks = self._look(name)
        if looks is None or looks == self._looks.get(name):
            return False
        if replaced(self._pinned / name, self._path / name):
            return True
        self._looks[name] = looks
        return False

    def _look(self, name: str) -> tuple[int, int] | None:
        """What changes when a folder is made anew; None where its trainer deletes it."""
        try:
            seen = os.stat(f"{self._path}/{name}")  # noqa: PTH116 - of ten thousand, in time
        except OSError:
            return None
        return seen.st_ino, seen.st_mtime_ns

    def _pins(self, done: Container[Step]) -> dict[str, int]:
        """What is pinned, after letting go of what is done."""
        held = _named(self._pinned)
        for name in [name for name, step in held.items() if step in done]:
            unpin(self._pinned / name)
            del held[name]
        return held

    def _folders(self) -> dict[str, int]:
        if not self._path.exists() and not self._path.parent.is_dir():
            raise SourceError(f"{self._path} and its parent are not there")
        try:
            return _named(self._path)
        except OSError as error:
            told = error.strerror or str(error)
            raise SourceError(f"{self._path} cannot be listed: {told}") from error

    def _counts(self, name: str) -> bool:
        if self._stillness.is_settled(name):
            return True
        folder = self._path / name
        try:
            return model_in(folder, self._marker) is not None and self._stillness.note(
                name, signature_of(folder)
            )
        except OSError:  # it changes while it is looked at
            return False

    def _kept(self, name: str) -> Path:
        """The pin of a checkpoint, or itself where none can be made: a folder that is read-only."""
        looks = self._look(name)
        try:
            place = pin(self._path / name, self._owner)
        except OSError:
            return self._path / name
        self._looks[name] = looks
        return place


def _named(folder: Path) -> dict[str, int]:
    """The folders that bear a checkpoint's name, with their steps; none where there is nothing."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - of ten thousand, in time
    except FileNotFoundError:  # the trainer makes it with its first checkpoint
        return {}
    steps = ((name, step_of_folder(name)) for name in names)
    return {name: step for name, step in steps if step is not None}


def _model(checkpoint: Path) -> str:
    """What is served of a checkpoint."""
    return str(model_in(checkpoint) or checkpoint)
