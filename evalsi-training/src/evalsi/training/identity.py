"""What all steps of one training run have in common, and a spec must not change under it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalsi.core.errors import SpecError
from evalsi.core.run.identity import identity_of
from evalsi.core.run.measures import measure_of, metric_issue
from evalsi.core.run.plan import Checked
from evalsi.core.run.work import Work
from evalsi.training.gates import RegressionGate
from evalsi.training.names import full_name, is_mini

__all__ = ["check_gates", "identity_of_spec", "identity_of_work"]


def identity_of_work(work: Work) -> dict[str, Any]:
    """Spec, records and evaluators; the model that is asked is each step's own."""
    document = _modelless(work.head["spec"])
    found = identity_of(document, work.head["dataset"]["hash"], {}, work.bounds)
    return {name: found[name] for name in ("spec", "data", "evaluators")}


def identity_of_spec(given: Checked) -> dict[str, Any]:
    """As much of it as a spec tells before its records are read."""
    found = identity_of(_modelless(given.document.as_dict()), "", {}, given.bounds)
    return {name: found[name] for name in ("spec", "evaluators")}


def check_gates(given: Checked, gates: Sequence[RegressionGate], *, mini: bool = False) -> None:
    """Refuses gates on metrics that a spec does not report, or on a mini panel that is not there.

    Raises:
        SpecError: naming every such gate.
    """
    measures = [measure_of(bound) for bound in given.bounds]
    trials = given.document.spec.trials
    issues = [
        f"the regression gate {gate}: its metric {issue}"
        for gate in gates
        if (issue := metric_issue(full_name(gate.metric), measures, trials)) is not None
    ]
    issues += [
        f"the regression gate {gate}: its metric is a value on the mini panel; give its size "
        f"with --mini"
        for gate in gates
        if is_mini(gate.metric) and not mini
    ]
    if issues:
        raise SpecError(issues)


def _modelless(document: dict[str, Any]) -> dict[str, Any]:
    spec = document["spec"]
    target = {name: value for name, value in spec["target"].items() if name != "model"}
    return {**document, "spec": {**spec, "target": target}}
