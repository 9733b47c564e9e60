"""A curve as people read it, and as one JSON object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from evalsi.training.curve import Curve
from evalsi.training.judging import Change, StepResult

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


def row_of(curve: Curve) -> dict[str, Any]:
    """The curve as plain data."""
    return {
        "training_run": curve.training_run,
        "regressed": curve.regressed,
        "confirm": curve.confirm,
        "regression": [asdict(gate) for gate in curve.gates],
        "steps": [_step_row(result) for result in curve.results],
    }


def _cells(curve: Curve, result: StepResult) -> tuple[str, ...]:
    cells = (_cell(result, name) for name in curve.metrics)
    return str(result.step), *cells, result.status


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


def _step_row(result: StepResult) -> dict[str, Any]:
    return {
        "step": result.step,
        "status": result.status,
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
