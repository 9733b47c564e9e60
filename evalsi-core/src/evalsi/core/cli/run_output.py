"""What `run`, `eval` and `rescore` print: a table for people, or one JSON object."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evalsi.core.cli.exits import ExitCode, tell

if TYPE_CHECKING:
    from evalsi.core.run.gates import GateResult
    from evalsi.core.run.summary import MetricSummary
    from evalsi.core.run.tally import Outcome
    from evalsi.core.run.work import Work

__all__ = ["exit_of", "performed", "show"]

_HEADING: Final = ("metric", "n", "mean", "95 % interval", "skipped", "errors", "empty")


def exit_of(outcome: Outcome) -> ExitCode:
    """The exit code of a run: 3 when a gate failed, 4 when there is no verdict."""
    codes = {"passed": ExitCode.OK, "failed": ExitCode.REGRESSION}
    return codes.get(outcome.verdict, ExitCode.INFRASTRUCTURE)


def show(outcome: Outcome, form: str, **further: object) -> None:
    """Prints an outcome on stdout, as JSON with further fields; on stderr what is wrong with it."""
    if form == "json":
        click.echo(json.dumps({"name": outcome.name, **outcome.row(), **further}))
    else:
        for line in _table(outcome):
            click.echo(line)
    for warning in outcome.warnings:
        tell(f"warning: {warning}")
    if outcome.stopped:
        tell(outcome.stopped)
    elif outcome.verdict == "none":
        tell(
            f"no verdict: {outcome.error_rate:.1%} of the results are errors, and "
            f"maxErrorRate is {outcome.max_error_rate:.1%}; most often: {outcome.cause}"
        )


def performed(
    work: Work, out: str | None, watch: Callable[[Mapping[str, Any]], None] = lambda _: None
) -> Outcome:
    """What work comes to, also where it was stopped; on stderr how far it is, and the judge's bill.

    Args:
        work: what is to be done.
        out: where the result goes, if anywhere.
        watch: is given every row of the result.
    """
    from evalsi.core.cli.judging import usage_told
    from evalsi.core.run import RunStopped
    from evalsi.core.run.runner import perform

    with usage_told(work.judge), _progress(work.size) as told:
        try:
            return perform(work, None if out is None else Path(out), told, watch)
        except RunStopped as stopped:
            return stopped.outcome


@contextlib.contextmanager
def _progress(size: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr where a person looks at it; takes the number of records just done."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=size, file=sys.stderr, label="records") as bar:
        yield bar.update


def _table(outcome: Outcome) -> Iterator[str]:
    rows = [_HEADING, *(_cells(metric) for metric in outcome.metrics.values())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield "  ".join([name.ljust(widths[0]), *numbers])
    counts = outcome.outputs
    left = f", {counts['unasked']} not asked for" if "unasked" in counts else ""
    yield (
        f"{counts['asked']} outputs, {counts['errors']} errors, {counts['empty']} empty, "
        f"{counts['truncated']} truncated{left}"
    )
    for gate in outcome.gates if outcome.verdict != "none" else ():
        yield f"gate {_gate(gate)}"


def _cells(metric: MetricSummary) -> tuple[str, ...]:
    interval = "" if metric.lo is None else f"[{_number(metric.lo)}, {_number(metric.hi)}]"
    counts = (metric.skipped, metric.errors, metric.empty)
    return metric.name, str(metric.n), _number(metric.mean), interval, *map(str, counts)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"


def _gate(gate: GateResult) -> str:
    bounds = [("≥", gate.min), ("≤", gate.max)]
    held = " and ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)
    what = gate.metric if gate.on == "mean" else f"{gate.on} of {gate.metric}"
    return f"{what} {held}: {'passed' if gate.passed else f'FAILED, {gate.reason}'}"
