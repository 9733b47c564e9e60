"""Weights & Biases: rows of the run that this process writes, or of another one by its id.

The only file that imports wandb.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

from evalsi.core.errors import SpecError
from evalsi.training.trackers.contract import TrackerError
from evalsi.training.trackers.message import AXIS, Message

__all__ = ["Wandb"]

_FINISH_S: Final = 60.0
_MISSING: Final = "the tracker wandb needs wandb: pip install 'evalsi-training[wandb]'"


class Wandb:
    """One run, which must not be written by two processes if that can be helped.

    W&B cannot be asked what it holds: a message that was being sent when its sender was killed
    is sent again, and may be there twice.

    Args:
        run: `PROJECT/ID` or `ENTITY/PROJECT/ID` of a run that another process writes or has
            written, which is joined as a further writer in W&B's shared mode; or a run object of
            this process; None: the run that this process writes.

    Raises:
        SpecError: wandb is not installed, there is no such run, or another process's is asked for
            while W&B is offline.
    """

    def __init__(self, run: object = None) -> None:
        self._library = _library()
        self._own: Any = None
        if isinstance(run, str):
            _refuse_offline()
            self._place = _place(run)
        else:
            self._own = self._library.run if run is None else run
            if self._own is None:
                raise SpecError("this process writes no W&B run: give --tracker-arg run=PROJECT/ID")
            self._place = _place_of(self._own)
        self._defined: set[str] = set()
        self.destination = f"wandb run {'/'.join(self._place[1:])}"

    def publish(self, messages: Iterable[Message]) -> Iterator[Message]:
        """As `Tracker.publish`: our own run has a row at once, another one when it is uploaded."""
        if self._own is not None:
            for message in messages:
                with self._told():
                    self._log(self._own, message)
                yield message
            return
        taken = []
        with self._told():
            run = self._joined()
            try:
                for message in messages:
                    self._log(run, message)
                    taken.append(message)
            finally:
                run.finish()  # which waits for the upload, and leaves the run's state as it is
        yield from taken

    def close(self) -> None:
        """Holds nothing: the run is its owner's."""

    def _log(self, run: Any, message: Message) -> None:
        row = message.row()
        # Each by its name: a trainer's own wildcard `*` may come first otherwise. Ours goes to
        # those who join later, since every writer's definitions replace the others'.
        for name in {"evalsi/*", *row} - self._defined:
            run.define_metric(name.replace(".", r"\."), step_metric=AXIS)  # a dot would nest
            self._defined.add(name)
        run.log({**row, AXIS: message.at})  # without a step: W&B drops rows whose step falls

    def _joined(self) -> Any:
        entity, project, name = self._place
        self._defined = set()
        return self._library.init(entity=entity, project=project, id=name, settings=_settings())

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (self._library.Error, OSError) as error:
            told = " ".join(str(error).split())[:500]
            raise TrackerError(f"{self.destination} did not take a step: {told}") from error


def _settings() -> Any:
    """Of a further writer: it is not the primary one, and does not end the run.

    It sends rows alone: nothing of this process's output, machine or packages.
    """
    import wandb

    return wandb.Settings(
        mode="shared",
        reinit="create_new",
        console="off",
        x_primary=False,
        x_label="evalsi",
        x_update_finish_state=False,
        finish_timeout=_FINISH_S,  # else it waits for ever, and no checkpoint is evaluated
        finish_timeout_raises=True,
        x_disable_meta=True,
        x_disable_stats=True,
        x_save_requirements=False,
    )


def _refuse_offline() -> None:
    """A second file of the run would be for `wandb sync`, which may put it in the first's place."""
    if (mode := os.environ.get("WANDB_MODE", "online")) not in ("online", "shared"):
        raise SpecError(
            f"WANDB_MODE is {mode}, and another process's run is joined online alone: sync that "
            f"run first, and `evalsi checkpoints publish` then"
        )


def _place(text: str) -> tuple[str | None, str, str]:
    parts = text.split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise SpecError(f'"{text}" is no W&B run; give PROJECT/ID or ENTITY/PROJECT/ID')
    return parts[0] if len(parts) == 3 else None, parts[-2], parts[-1]


def _place_of(run: Any) -> tuple[str | None, str, str]:
    return run.entity or None, run.project, run.id


def _library() -> Any:
    try:
        import wandb
    except ImportError as error:
        raise SpecError(_MISSING) from error
    return wandb
