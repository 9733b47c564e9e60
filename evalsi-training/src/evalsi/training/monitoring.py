"""Which metric steers a training run: the one that is named, the first gate's, or the only one."""

from __future__ import annotations

from collections.abc import Sequence

from evalsi.core.errors import SpecError
from evalsi.core.run.measures import Measure, measure_of, metric_issue, metrics_of
from evalsi.core.run.plan import Checked
from evalsi.core.run.trials import metric_and_reduction
from evalsi.training.gates import RegressionGate
from evalsi.training.names import full_name, is_mini
from evalsi.training.stopping import Monitor, Patience

__all__ = ["monitor_of", "patience_of"]


def monitor_of(
    given: Checked,
    gates: Sequence[RegressionGate],
    named: str | Monitor | None,
    *,
    mini: bool = False,
) -> Monitor | None:
    """The metric by which the best is chosen and the mini panel judged; None: there are several.

    Args:
        given: the spec.
        gates: the regression gates.
        named: what the user names, as `metric[:min_delta]`, or made.
        mini: whether there is a mini panel.

    Raises:
        SpecError: it names what the spec does not report, or what is better neither way.
    """
    measures = [measure_of(bound) for bound in given.bounds]
    if named is None:
        known = [gates[0].metric] if gates else [metric.name for metric in metrics_of(measures)]
        sole = len(known) == 1 and _direction(known[0], measures) != "neither"
        return Monitor(full_name(known[0])) if sole else None
    monitor = Monitor.parse(named) if isinstance(named, str) else named
    metric = monitor.metric
    told = metric_issue(full_name(metric), measures, given.document.spec.trials)
    if told is not None:
        raise SpecError(f"the metric to monitor {told}")
    if is_mini(metric) and not mini:
        raise SpecError(f"{metric} is a value on the mini panel; give its size with --mini")
    if _direction(metric, measures) == "neither":
        raise SpecError(f"{metric} is better neither way, so that it cannot be monitored")
    return monitor


def patience_of(
    given: Checked,
    gates: Sequence[RegressionGate],
    named: str | Monitor | None,
    steps: int | None,
    *,
    mini: bool = False,
) -> Patience | None:
    """How long the monitored metric may go without improving; None: for ever.

    Raises:
        SpecError: as `monitor_of`, or the spec has several metrics and none is named.
    """
    monitor = monitor_of(given, gates, named, mini=mini)
    if steps is None:
        return None
    if monitor is None:
        raise several(given, "--patience counts")
    return Patience(monitor, steps)


def several(given: Checked, who: str) -> SpecError:
    """What to say where one metric is needed and the spec has several."""
    known = [metric.name for metric in metrics_of([measure_of(bound) for bound in given.bounds])]
    return SpecError(f"name the metric that {who} on with --monitor; there are {', '.join(known)}")


def _direction(metric: str, measures: Sequence[Measure]) -> str:
    name, _ = metric_and_reduction(full_name(metric))
    known = {one.name: one.direction for one in metrics_of(measures)}
    return known.get(full_name(metric)) or known.get(name, "higher")
