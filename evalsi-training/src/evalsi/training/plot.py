"""A curve as it is drawn in a terminal: one panel a metric, in plain characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evalsi.training.curve import Curve
from evalsi.training.judging import StepResult
from evalsi.training.steps import BASE

__all__ = ["plot"]

_ROWS: Final = 9
_LEAST_WIDTH: Final = 10
_LEGEND: Final = "o a step, * a significant change, ! a regression, - the base, x no value"
_BADNESS: Final = "-o*!"  # of several marks in one place the last one is shown


@dataclass(frozen=True, slots=True)
class _Point:
    step: int
    value: float | None
    mark: str


def plot(curve: Curve, width: int) -> Iterator[str]:
    """The lines of the drawing: a panel a metric with its steps, and the base across it.

    Args:
        curve: the curve.
        width: characters in a line; a panel has 10 at least beside its labels.
    """
    for metric in curve.metrics:
        yield metric
        yield from _panel(curve.results, metric, width)
    yield _LEGEND


def _panel(results: Sequence[StepResult], metric: str, width: int) -> Iterator[str]:
    base = next((_value(one, metric) for one in results if one.step == BASE), None)
    points = [
        _Point(one.step, _value(one, metric), _mark(one, metric))
        for one in results
        if one.step != BASE
    ]
    values = [value for value in (base, *(point.value for point in points)) if value is not None]
    if not values:
        yield "  nothing was measured"
        return
    low, high = min(values), max(values)
    labels = {_row(value, low, high): f"{value:.3f}" for value in (low, high)}
    if base is not None:
        labels[_row(base, low, high)] = f"base {base:.3f}"
    room = max(map(len, labels.values()))
    columns = max(width - room - 2, _LEAST_WIDTH)
    rows = _rows(points, base, low, high, columns)
    for row in reversed(range(_ROWS)):
        yield f"{labels.get(row, ''):>{room}} |{''.join(rows[row])}".rstrip()
    yield from _axis(points, columns, room)


def _rows(
    points: Sequence[_Point], base: float | None, low: float, high: float, columns: int
) -> list[list[str]]:
    rows = [[" "] * columns for _ in range(_ROWS)]
    if base is not None:
        rows[_row(base, low, high)] = ["-"] * columns
    for point, column in zip(points, _columns(points, columns), strict=True):
        if point.value is not None:
            row = rows[_row(point.value, low, high)]
            row[column] = max(row[column], point.mark, key=_BADNESS.find)
    return rows


def _axis(points: Sequence[_Point], columns: int, room: int) -> Iterator[str]:
    """The line below, with an x for each step that has no value, and the first and last step."""
    line = ["-"] * columns
    for point, column in zip(points, _columns(points, columns), strict=True):
        if point.value is None:
            line[column] = "x"
    yield f"{'':{room}} +{''.join(line)}"
    if points:
        first, last = str(points[0].step), str(points[-1].step) if len(points) > 1 else ""
        yield f"{'step':>{room}}  {first}{last:>{columns - len(first)}}".rstrip()


def _columns(points: Sequence[_Point], columns: int) -> list[int]:
    """Where steps are, by their numbers."""
    if not points:
        return []
    first, last = points[0].step, points[-1].step
    return [(columns - 1) * (point.step - first) // max(last - first, 1) for point in points]


def _row(value: float, low: float, high: float) -> int:
    """From 0 at the bottom; in the middle where all values are one."""
    share = (value - low) / (high - low) if high > low else 0.5
    return round(share * (_ROWS - 1))


def _value(result: StepResult, metric: str) -> float | None:
    found: float | None = result.summaries.get(metric, {}).get("mean")
    return found


def _mark(result: StepResult, metric: str) -> str:
    change = result.comparisons.get(metric)
    if change is not None and change.regressed:
        return "!"
    return "*" if change is not None and change.significant else "o"
