"""A curve as people read it, and as one JSON object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from evalsi.training.curve import Curve
from evalsi.training.judging import Change, StepResult
from evalsi.training.kept import Best

__all__ = ["row_of", "table"]


def table(curve: Curve) -> Iterator[str]:
    """The curve's lines: a row a step, what the marks mean, and the reasons of bad steps.

    `*` marks a significant change, `!` a regression.
    """
    rows = [("step", *curve.metrics, "status"), *(_cells(curve, one) for one in curve.results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
    for result in curve.results:
        for reason in result.reasons:
            yield f"{result.step}: {reason}"
    yield from _after_correction(curve)
    if curve.best is not None:
        yield _of_best(curve.best)
    if curve.stall:
        yield f"stop: {curve.stall}"


def row_of(curve: Curve) -> dict[str, Any]:
    """The curve as plain data."""
    return {
        "training_run": curve.training_run,
        "regressed": curve.regressed,
        "confirm": curve.confirm,
        "patience": None if curve.patience is None else asdict(curve.patience),
        "stop": curve.stop_reason,
        "best": None if curve.best is None else asdict(curve.best) | {"value": curve.best.value},
        "regression": [asdict(gate) for gate in curve.gates],
        "steps": [_step_row(result) for result in curve.results],
    }


def _cells(curve: Curve, result: StepResult) -> tuple[str, ...]:
    cells = (_cell(result, name) for name in curve.metrics)
    best = curve.best is not None and curve.best.step == result.step
    return str(result.step), *cells, f"{result.status} (best)" if best else result.status


def _cell(result: StepResult, name: str) -> str:
    summary = result.summaries.get(name)
    if summary is None or summary["mean"] is None:
        return "none"
    mean = f"{summary['mean']:.3f}"
    change = result.comparisons.get(name)
    if change is None or change.diff is None:
        return mean
    return f"{mean} ({change.diff:+.3f}{_mark(change)})"


def _mark(change: Change) -> str:
    if change.regressed:
        return "!"
    return "*" if change.significant else ""


def _after_correction(curve: Curve) -> Iterator[str]:
    """What is left of the regressions when one looks so often (Holm, 5 %)."""
    marked = [
        (result.step, name, change)
        for result in curve.results
        for name, change in result.comparisons.items()
        if change.regressed and change.corrected_p is not None
    ]
    if not marked:
        return
    left = [f"{step} {name}" for step, name, c in marked if (c.corrected_p or 0.0) < 0.05]
    yield f"after Holm's correction over all looks: {', '.join(left) or 'no regression is left'}"


def _of_best(best: Best) -> str:
    """Which is the best, and what it is worth where it had no luck in being chosen."""
    text = f"best: step {best.step}, {best.metric} {best.value:.3f}"
    if best.confirming is not None:
        text += (
            f" on the {best.confirming['n']} records that confirm it "
            f"({best.choosing['mean']:.3f} on the {best.choosing['n']} that chose it)"
        )
    else:
        text += ", unconfirmed"
    if best.change is not None and best.change["diff"] is not None:
        text += f", {best.change['diff']:+.3f} against the base"
    text += "" if best.kept is None else f"; kept at {best.kept}"
    return f"{text}. {best.note}".rstrip(". ") + "."


def _step_row(result: StepResult) -> dict[str, Any]:
    return {
        "step": result.step,
        "status": result.status,
        "panel": result.panel,
        "reasons": list(result.reasons),
        "error": result.error,
        "metrics": result.summaries,
        "comparisons": {
            name: {
                **asdict(change.comparison),
                "significant": change.significant,
                "regressed": change.regressed,
                "underpowered": change.underpowered,
                "smallest": change.smallest,
                "corrected_p": change.corrected_p,
            }
            for name, change in result.comparisons.items()
        },
    }
