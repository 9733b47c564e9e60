"""Scores every step of a training run anew from its outputs, when its evaluators have changed.

No model is asked. Either all steps are those of the new evaluators, or nothing has changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from evalsi.core.errors import DataError, EngineError
from evalsi.core.run.document import ResultFile
from evalsi.core.run.measures import measure_of, metric_issue
from evalsi.core.run.plan import Checked, work_of
from evalsi.core.run.rescore import work_of_result
from evalsi.core.run.work import Work
from evalsi.training.history import History, StepRecord
from evalsi.training.identity import identity_of_work
from evalsi.training.measuring import measured
from evalsi.training.mini import as_mini, mini_of
from evalsi.training.names import full_name
from evalsi.training.staging import replacing
from evalsi.training.steps import Step, parsed_step
from evalsi.training.values import StepValues

__all__ = ["rescore"]

_DOCUMENT: Final = re.compile(r"step-([0-9a-z]+?)(\.mini)?\.json")


def rescore(history: History, given: Checked) -> list[Step]:
    """Scores the outputs of all steps with a spec's evaluators; within `History.writing`.

    A step that failed stays so, and one of the mini panel stays on it. What was answered of a
    step that was interrupted will be asked again.

    Args:
        history: the training run.
        given: the spec, with the target, the records and the trials that the run has.

    Returns:
        The steps that have new scores, in order.

    Raises:
        DataError: outputs are missing, or the spec asks something else; nothing has changed.
        EvalsiError: a step could not be scored; nothing has changed.
    """
    identity = identity_of_work(work_of(given))
    history.refuse_other_records(identity)
    steps = {step: record for step, record in _records(history) if not record.error}
    documents = _documents(history)
    _refuse_gaps(history, steps, documents)
    with replacing(history.folder) as place:
        new = History(place.parent, place.name)
        new.result_path("base").parent.mkdir()
        for document, (step, panel) in documents.items():
            work = _work(document, given, identity, panel)
            path = new.result_path(step).with_name(document.name)
            names = _names(history, steps.get(step), given, work.trials)
            scored = measured(work, path, step, "", names)
            if step in steps and steps[step].panel == panel:
                new.write(*_in_place_of(steps[step], scored, document))
        new.hold_to(identity)
        for journal in history.result_path("base").parent.glob("*.journal"):
            journal.unlink()  # of the evaluators that were; a run of the new ones refuses it
    return list(steps)


def _records(history: History) -> list[tuple[Step, StepRecord]]:
    return [(step, history.read(step)) for step in history.steps()]


def _documents(history: History) -> dict[Path, tuple[Step, str]]:
    """The documents of all steps, also of those that failed, with step and panel."""
    found = {}
    for path in sorted(history.result_path("base").parent.glob("step-*.json")):
        match = _DOCUMENT.fullmatch(path.name)
        if match is not None:
            found[path] = parsed_step(match[1]), "mini" if match[2] else "full"
    return found


def _refuse_gaps(
    history: History,
    steps: Mapping[Step, StepRecord],
    documents: Mapping[Path, tuple[Step, str]],
) -> None:
    held = set(documents.values())
    missing = [str(step) for step, record in steps.items() if (step, record.panel) not in held]
    if missing:
        raise DataError(
            f"{history.result_path('base').parent} lacks the outputs of step {', '.join(missing)}; "
            f"without them they cannot be scored anew"
        )


def _work(document: Path, given: Checked, identity: Mapping[str, Any], panel: str) -> Work:
    work = work_of_result(ResultFile.of(document), given)
    if identity_of_work(work)["spec"] != identity["spec"]:
        raise DataError(
            f"{document} holds outputs of another target, or of another number of trials, than "
            f"the spec says; only evaluators, gates and limits may have changed"
        )
    return replace(work, gates=()) if panel == "mini" else work


def _names(history: History, record: StepRecord | None, given: Checked, trials: int) -> list[str]:
    """The metrics whose values a step has, as far as the new evaluators report them."""
    if record is None:
        return []
    measures = [measure_of(bound) for bound in given.bounds]
    names = [full_name(name) for name in history.values(record.step).columns]
    return [name for name in names if metric_issue(name, measures, trials) is None]


def _in_place_of(
    old: StepRecord, scored: tuple[StepRecord, StepValues], document: Path
) -> tuple[StepRecord, StepValues]:
    record, values = scored
    if record.verdict == "none" != old.verdict:
        raise EngineError(
            f"step {old.step} could not be scored: too many errors for a verdict, which `evalsi "
            f"rescore {document}` shows; nothing has changed"
        )
    if (mini := mini_of(old)) is not None and old.panel == "mini":
        record, values = as_mini(record, values, mini)
    kept = replace(
        record,
        checkpoint=old.checkpoint,
        evaluated=old.evaluated,
        mini=old.mini,
        note=old.note,
    )
    return kept, values
