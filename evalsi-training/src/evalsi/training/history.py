"""What is known of a training run: a folder with one JSON a step, and its values beside.

A step is there when its JSON is; values are written before it. One process writes at a time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeAlias

from evalsi.core.durable import publish
from evalsi.core.errors import DataError, SpecError
from evalsi.training.staging import is_staged, settle
from evalsi.training.steps import Step, in_order, parsed_step
from evalsi.training.values import StepValues

__all__ = ["HeldError", "History", "Panel", "StepRecord"]

Panel: TypeAlias = Literal["full", "mini"]
"""All records of the spec, or a few of them (`evalsi.training.mini`)."""

_FORMAT: Final = "evalsi.step/1"
_RUN_FORMAT: Final = "evalsi.training-run/1"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)
_STEP: Final = re.compile(r"step-(base|[0-9]+)\.json", re.ASCII)


class HeldError(DataError):
    """Another process writes the training run now."""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step as it stands in the folder.

    Attributes:
        step: which.
        checkpoint: where its model lay.
        metrics: by name: `n`, `mean`, `lo`, `hi`, `skipped`, `errors`, `direction` and so on.
        gates: what the spec's own gates came to.
        verdict: `passed`, `failed`, or `none` where too much failed to say.
        trials: outputs of each record.
        error: why there is nothing of it; "" where there is.
        evaluated: when, in ISO form.
        by: who computed the numbers, by evaluator's name.
        target: what was asked.
        panel: the records that it was measured on; metrics of the mini panel have names of their
            own.
        mini: the mini panel that was asked first, as `records` and `seed`; None: none was.
        note: why it is on this panel, where that needs a word.
    """

    step: Step
    checkpoint: str
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    gates: tuple[Mapping[str, Any], ...] = ()
    verdict: str = "none"
    trials: int = 1
    error: str = ""
    evaluated: str = ""
    by: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    target: Mapping[str, Any] = field(default_factory=dict)
    panel: Panel = "full"
    mini: Mapping[str, int] | None = None
    note: str = ""


class History:
    """The folder of one training run, `<log_dir>/<training_run>`.

    Args:
        log_dir: where training runs are kept.
        training_run: its name.

    Raises:
        SpecError: the name cannot be a folder's.
    """

    def __init__(self, log_dir: str | Path, training_run: str) -> None:
        if not _NAME.fullmatch(training_run):
            raise SpecError(
                f'"{training_run}" is no name of a training run; use letters, digits, ".", "_" '
                f'and "-", 128 at most, and begin with a letter or a digit'
            )
        self.training_run = training_run
        self.folder = Path(log_dir) / training_run

    def steps(self) -> list[Step]:
        """The steps that are there, in order."""
        if not self.folder.is_dir():
            return []
        if is_staged(self.folder):
            with contextlib.suppress(DataError), self.writing():
                pass  # which ends what a kill left; whoever holds the folder does it as well
        found = (_STEP.fullmatch(path.name) for path in self.folder.iterdir())
        return sorted((parsed_step(match[1]) for match in found if match), key=in_order)

    def __contains__(self, step: Step) -> bool:
        return self._json(step).exists()

    def read(self, step: Step) -> StepRecord:
        """One step.

        Raises:
            DataError: it is not there, or cannot be read.
        """
        row = _loaded(self._json(step), _FORMAT)
        try:
            row["gates"] = tuple(row["gates"])
            return StepRecord(**row)
        except (TypeError, KeyError) as error:
            raise DataError(f"{self._json(step)} is of another version: {error}") from error

    def values(self, step: Step) -> StepValues:
        """One step's values; raises `DataError`."""
        return StepValues.load(self._values(step, self.read(step).panel))

    def write(self, record: StepRecord, values: StepValues | None) -> None:
        """Adds a step, or replaces it; within `writing`."""
        if values is not None:
            values.save(self._values(record.step, record.panel))
        row = {"format": _FORMAT, **asdict(record)}
        publish(self._json(record.step), json.dumps(row, indent=1) + "\n")
        other: Panel = "full" if record.panel == "mini" else "mini"
        self._values(record.step, other).unlink(missing_ok=True)

    def result_path(self, step: Step) -> Path:
        """Where the run's own document of a step goes, with its outputs."""
        return self.folder / "results" / f"step-{step}.json"

    def mini_path(self, step: Step) -> Path:
        """Where the document of its mini-evaluation goes."""
        return self.folder / "results" / f"step-{step}.mini.json"

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Holds the folder, which is made if it is missing.

        Raises:
            HeldError: another process holds it; the message says who.
            DataError: nothing can be written there.
        """
        with self._locked():
            self._sweep()
            yield

    def _locked(self) -> IO[str]:
        """The lock's file, which lets go when it is closed."""
        try:
            self.result_path("base").parent.mkdir(parents=True, exist_ok=True)
            with contextlib.ExitStack() as stack:
                lock = stack.enter_context((self.folder / ".lock").open("a+", encoding="utf-8"))
                self._lock(lock)
                stack.pop_all()
                return lock
        except OSError as error:
            raise DataError(
                f"{self.folder} cannot be written: {error.strerror}; give another --log-dir, or "
                f"mend that"
            ) from error

    def _lock(self, lock: IO[str]) -> None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise HeldError(
                f"{self.folder} is being written by {lock.read(200).strip() or 'another'}; "
                f"wait for it, or end it"
            ) from error
        lock.truncate(0)
        lock.write(f"process {os.getpid()} on {socket.gethostname()}")
        lock.flush()

    def _sweep(self) -> None:
        """Ends what a writer that was killed began, and removes files that never appeared."""
        settle(self.folder)
        for folder in (self.folder, self.result_path("base").parent):
            for path in folder.glob(".*.json.*"):
                path.unlink(missing_ok=True)
            for path in folder.glob(".*.npz.*"):
                path.unlink(missing_ok=True)

    def hold_to(self, identity: Mapping[str, Any]) -> None:
        """Makes this the run of a spec, its records and its evaluators; within `writing`.

        Raises:
            DataError: it is another's already.
        """
        if self.is_held:
            self.refuse_another(identity)
            return
        row = {"format": _RUN_FORMAT, "training_run": self.training_run, "identity": identity}
        publish(self.folder / "run.json", json.dumps(row, indent=1) + "\n")

    @property
    def has_mini(self) -> bool:
        """Whether a step was asked a mini panel first."""
        return any(self.read(step).mini for step in self.steps())

    @property
    def is_held(self) -> bool:
        """Whether it is a spec's run already."""
        return (self.folder / "run.json").exists()

    def refuse_another(self, identity: Mapping[str, Any]) -> None:
        """Refuses a spec whose identity, as far as it is given, is not this run's.

        Raises:
            DataError: saying what differs.
        """
        held = _loaded(self.folder / "run.json", _RUN_FORMAT)["identity"]
        differs = [name for name in identity if held.get(name) != identity[name]]
        if differs:
            told = {"spec": "another spec", "data": "other records"}
            what = " and ".join(told.get(name, f"other {name}") for name in differs)
            raise DataError(
                f"{self.folder} holds a training run with {what}; steps that were measured in two "
                f"ways are not compared: give another --training-run{self._anew(differs)}"
            )

    def refuse_other_records(self, identity: Mapping[str, Any]) -> None:
        """Refuses records that are not this run's, whoever evaluates them.

        Raises:
            DataError: they are others, or nothing was measured yet.
        """
        if not self.is_held:
            raise DataError(f"{self.folder} holds no step that was measured")
        self.refuse_another({"data": identity["data"]})

    def _anew(self, differs: Sequence[str]) -> str:
        """What else helps, where the outputs are those of the same records."""
        if "data" in differs:
            return ""
        return (
            f", or score the outputs of all its steps anew with `evalsi checkpoints rescore "
            f"--training-run {self.training_run}`"
        )

    def _values(self, step: Step, panel: Panel) -> Path:
        """A file a panel: until a step's JSON is replaced, the values that it has are there."""
        return self.folder / f"step-{step}{'.mini' if panel == 'mini' else ''}.npz"

    def _json(self, step: Step) -> Path:
        return self.folder / f"step-{step}.json"


def _loaded(path: Path, form: str) -> dict[str, Any]:
    try:
        row = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"{path} is not there: that step was not evaluated") from error
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path} cannot be read: {error}; remove it to have that step evaluated anew: what it "
            f"answered is not asked again"
        ) from error
    if not isinstance(row, dict) or row.pop("format", None) != form:
        raise DataError(f"{path} is no file of this version; it should say {form}")
    return row
