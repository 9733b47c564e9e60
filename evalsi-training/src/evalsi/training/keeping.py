"""Keeps a training run's best checkpoint: `best.json`, the checkpoint itself, and a link to it.

The checkpoint is kept by hard links beside it, in a folder of this training run's own under
`.evalsi-best`, so that no retention of its trainer deletes it; the best before it is let go.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import numpy as np

from evalsi.training.best import LEAST, Choice, choose, half_of, tally_of
from evalsi.training.comparison import Pairing
from evalsi.training.curve import Curve, curve_of
from evalsi.training.gates import RegressionGate
from evalsi.training.history import History
from evalsi.training.judging import StepResult
from evalsi.training.kept import Best, read_best, write_best
from evalsi.training.pins import keep, let_go, original_of
from evalsi.training.sources.names import step_of_folder
from evalsi.training.steps import BASE, Step
from evalsi.training.values import StepValues

__all__ = ["choose_anew", "keep_best"]

_FOLDER: Final = ".evalsi-best"
_LINK: Final = "best"


def keep_best(
    history: History, curve: Curve, metric: str, places: Mapping[Step, str] | None = None
) -> Best | None:
    """Chooses the best step anew and keeps its checkpoint; within `History.writing`.

    A step that failed, regressed, or was measured in part or on the mini panel alone is no
    candidate; without a candidate nothing is kept.

    Args:
        history: the training run.
        curve: its steps, judged.
        metric: by which they are compared.
        places: where checkpoints lie now that were moved since: their pins.
    """
    held = read_best(history.folder)
    steps = [one for one in curve.results if _is_candidate(one, metric)]
    tallies = [tally_of(one.step, history.values(one.step), metric) for one in steps]
    direction = steps[0].summaries[metric]["direction"] if steps else "higher"
    choice = choose(tallies, direction)
    if choice is None:
        _let_go(history, held, None)
        (history.folder / "best.json").unlink(missing_ok=True)
        return None
    best = _described(history, choice, metric, direction, curve.gates)
    target = _target(history, best, held)
    source = _source(best, held, (places or {}).get(best.step, best.checkpoint))
    place, why = _kept(history, best, source, target)
    best = replace(best, kept=place, note=" ".join(filter(None, (best.note, why))))
    if best != held:
        write_best(history.folder, best)
    _let_go(history, held, place)
    return best


def choose_anew(history: History) -> None:
    """Chooses the best by the metric and the gates of the last choice; within `writing`."""
    held = read_best(history.folder)
    if held is None:
        return
    known = {name for step in history.steps() for name in history.read(step).metrics}
    gates = [RegressionGate.parse(text) for text in held.regression]
    keep_best(
        history, curve_of(history, [one for one in gates if one.metric in known]), held.metric
    )


def _is_candidate(result: StepResult, metric: str) -> bool:
    summary, change = result.summaries.get(metric), result.comparisons.get(metric)
    if result.step == BASE or not result.passed or summary is None or summary["mean"] is None:
        return False
    return change is None or not change.incomplete


def _described(
    history: History,
    choice: Choice,
    metric: str,
    direction: str,
    gates: Sequence[RegressionGate],
) -> Best:
    tally = choice.tally
    note = ""
    if not choice.confirmed:
        few = f"need {LEAST} records, and there are {tally.whole.n}"
        why = few if tally.whole.n < LEAST else "would cut a cluster, or one has no value"
        note = (
            f"Two halves {why}: it was chosen on all records, so that its value is likely too high."
        )
    return Best(
        step=tally.step,
        checkpoint=history.read(tally.step).checkpoint,
        kept=None,
        metric=metric,
        direction=direction,
        confirmed=choice.confirmed,
        choosing=asdict(tally.choosing if choice.confirmed else tally.whole),
        confirming=asdict(tally.confirming) if choice.confirmed else None,
        change=_against_base(history, choice, metric),
        regression=tuple(map(str, gates)),
        note=note,
    )


def _against_base(history: History, choice: Choice, metric: str) -> dict[str, object] | None:
    if BASE not in history or history.read(BASE).error:
        return None
    sides = [history.values(BASE), history.values(choice.tally.step)]
    if choice.confirmed:
        sides = [_confirming(side, metric) for side in sides]
    base, step = sides
    trials = max(history.read(BASE).trials, history.read(choice.tally.step).trials)
    return asdict(Pairing(base, trials=trials).of(step, metric))


def _confirming(values: StepValues, metric: str) -> StepValues:
    """The values of one metric on the half that had no say in the choice."""
    if metric not in values.columns:
        return values
    half = half_of(values.ids, values.clusters)
    return replace(values, columns={metric: np.where(half, np.nan, values.columns[metric])})


def _source(best: Best, held: Best | None, place: str) -> Path:
    """Where the best lies now: its pin, its own place, or where it was kept before."""
    source = Path(place if original_of(place) == best.checkpoint else best.checkpoint)
    if source.exists() or held is None or held.kept is None or held.step != best.step:
        return source
    return Path(held.kept)


def _kept(history: History, best: Best, source: Path, target: Path) -> tuple[str | None, str]:
    """Where the checkpoint is kept now, or why it is not."""
    if not target.exists() and not source.exists():
        return None, f"{best.checkpoint} is no folder or file here, so that it is not kept."
    try:
        keep(source, target)
        _link(history.folder / _LINK, target)
    except OSError as error:
        return None, f"{best.checkpoint} is not kept: {error.strerror or error}."
    return str(target), ""


def _target(history: History, best: Best, held: Best | None) -> Path:
    """Where the best is kept: where it is already, else beside the folder of its step."""
    kept = None if held is None or held.step != best.step else held.kept
    if kept is not None and _run_folder(Path(kept)).name == _own(history):
        return Path(kept)
    checkpoint = Path(best.checkpoint).absolute()
    places = (checkpoint, *checkpoint.parents)
    root = next((one for one in places if step_of_folder(one.name) is not None), checkpoint)
    kept_in = root.parent / _FOLDER / _own(history)
    return kept_in / root.name / checkpoint.relative_to(root)


def _own(history: History) -> str:
    """The name of a training run's own folder: two log folders may have runs of one name."""
    digest = hashlib.sha256(bytes(history.folder.resolve())).hexdigest()[:8]
    return f"{history.training_run}-{digest}"


def _link(link: Path, target: Path) -> None:
    """Points the link at its target, in one move."""
    half = link.with_name(f".{link.name}.link")
    half.unlink(missing_ok=True)  # of a process that was killed
    if link.is_symlink() and link.readlink() == target:
        return
    half.symlink_to(target)
    half.replace(link)


def _let_go(history: History, held: Best | None, kept: str | None) -> None:
    """Removes what was kept before, and what a kill left beside what is kept now."""
    if kept is None:
        (history.folder / _LINK).unlink(missing_ok=True)
    known = [Path(place) for place in (kept, held.kept if held else None) if place is not None]
    now = [] if kept is None else [Path(kept), *Path(kept).parents]
    for folder in {_run_folder(place) for place in known}:
        if folder.is_dir() and folder.name == _own(history):  # not that of a run it is a copy of
            for place in [place for place in folder.iterdir() if place not in now]:
                let_go(place)
        for empty in (folder, folder.parent):
            with contextlib.suppress(OSError):  # another training run's, or what is kept
                empty.rmdir()


def _run_folder(kept: Path) -> Path:
    """The folder in which nothing but the best of one training run is kept."""
    return next(one for one in kept.parents if one.parent.name == _FOLDER)
