"""From a spec to the work that it describes: checked, bound, and its records known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from evalsi.core.engine import tools_for
from evalsi.core.plugins import PluginHost, default_host
from evalsi.core.run.dataset import panel_of
from evalsi.core.run.finite import not_finite
from evalsi.core.run.gates import MetricGate
from evalsi.core.run.identity import identity_of
from evalsi.core.run.measures import measure_of, metric_issue
from evalsi.core.run.overrides import overridden
from evalsi.core.run.spec import EvalRun, Target
from evalsi.core.run.stages import stage_issues
from evalsi.core.run.target import Asked, bind_target
from evalsi.core.run.work import Work
from evalsi.core.spec.binding import examine_and_bind
from evalsi.core.spec.bound import Bound
from evalsi.core.spec.document import Document, enveloped
from evalsi.core.spec.issues import Issue
from evalsi.core.spec.source import Given, Source, read

__all__ = ["Checked", "checked", "work_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """A spec with nothing wrong in it.

    Attributes:
        document: the spec.
        bounds: its evaluators.
        target: what is asked.
        folder: where its relative paths start.
    """

    document: Document[EvalRun]
    bounds: Sequence[Bound]
    target: Asked
    folder: Path

    @property
    def gates(self) -> list[MetricGate]:
        """What metrics must reach."""
        spec = self.document.spec
        return [MetricGate(gate.metric, gate.min, gate.max, gate.on) for gate in spec.gates]


def work_of(given: Checked) -> Work:
    """The work that a checked spec describes; its dataset is read once, nothing is asked.

    Raises:
        DataError: the dataset cannot be read.
        SpecError: what the target leaves open cannot be decided.
    """
    spec, document = given.document.spec, given.document.as_dict()
    target = given.target.settled()
    if isinstance(target, Issue):
        raise given.document.refused([target])
    panel = panel_of(spec.dataset, given.folder, spec.cluster_field)
    return Work(
        name=given.document.name,
        size=len(panel),
        items=panel.items,
        bounds=given.bounds,
        identity=identity_of(document, panel.hash, target.row, given.bounds),
        head={
            "spec": document,
            "spec_hash": given.document.fingerprint,
            "dataset": {
                "source": panel.name,
                "hash": panel.hash,
                "n": len(panel),
                "ids": panel.ids,
            },
            "target": target.row,
        },
        connect=target.connect,
        trials=spec.trials,
        gates=given.gates,
        max_error_rate=spec.max_error_rate,
        concurrency=spec.concurrency,
        deadline_s=spec.deadline_seconds,
    )


def checked(source: Given, *, sets: Sequence[str] = (), host: PluginHost | None = None) -> Checked:
    """A spec, checked and bound.

    Args:
        source: a YAML or JSON file, a text, or a mapping.
        sets: changes to it, `path=value` each.
        host: where evaluators and connectors are found; by default every installed pack.

    Raises:
        SpecError: every issue of the spec at once.
    """
    host = host or default_host()
    opened = overridden(enveloped(read(source), EvalRun), sets)
    folder = opened.folder
    document, bounds, issues = examine_and_bind(
        opened, EvalRun, host=host, tools=lambda ref, needs: tools_for(needs, ref.min_isolation)
    )
    named = _target(opened) if document is None else document.spec.target
    target, further = (None, []) if named is None else bind_target(named, folder, host)
    issues += further
    place = not_finite(opened.data)
    if place is not None and all(issue.path != place for issue in issues):
        issues.append(Issue(place, "is NaN or infinite, which is no number of JSON"))
    if document is None or target is None or issues:
        raise opened.refused(issues)
    issues = _between(document.spec, bounds, target)
    if issues:
        raise opened.refused(issues)
    return Checked(document, bounds, target, folder)


def _target(source: Source) -> Target | None:
    """The target of a spec that is not valid, if that part of it is: one report names all."""
    body = source.data.get("spec") if isinstance(source.data, Mapping) else None
    try:
        return Target.model_validate(body.get("target") if isinstance(body, Mapping) else None)
    except ValidationError:
        return None


def _between(spec: EvalRun, bounds: Sequence[Bound], target: Asked) -> list[Issue]:
    """What is wrong between the parts of a spec whose parts are sound."""
    issues = stage_issues(bounds)
    measures = [measure_of(bound) for bound in bounds]
    for number, gate in enumerate(spec.gates):
        told = metric_issue(gate.metric, measures, spec.trials)
        if told is not None:
            issues.append(Issue(("spec", "gates", number, "metric"), told))
    if target.greedy and spec.trials > 1 and not spec.repeat_greedy:
        told = (
            f"is {spec.trials}, and the target is greedy (temperature 0), so that all trials of a "
            f"record are one; set a temperature, or `repeatGreedy: true` to ask again all the same"
        )
        issues.append(Issue(("spec", "trials"), told))
    return issues
