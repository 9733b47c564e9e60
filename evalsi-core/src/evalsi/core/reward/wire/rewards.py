"""One reward on the wire: the row of `evalsi rewards score`, and what else makes it whole."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from evalsi.core.results import By, ComponentResult, Errored, Result, Reward, Score, Skipped
from evalsi.core.reward.rows import row_of
from evalsi.core.reward.wire.problem import failure_of

__all__ = ["reward_of", "wire_row"]


def wire_row(reward: Reward, *, evidence: bool) -> dict[str, Any]:
    """A reward as plain data: `row_of`, with what only a program asks for."""
    row = row_of(reward, evidence=evidence)
    for component in reward.components:
        part, result = row["components"][component.name], component.result
        if isinstance(result, Errored) and result.failure.retryable:
            part["retryable"] = True
        if isinstance(result, Score) and not result.stable:
            part["stable"] = False
        if seconds := round(component.seconds, 6):
            part["seconds"] = seconds
    return row


def reward_of(row: Mapping[str, Any], names: Sequence[str], by: Mapping[str, By]) -> Reward:
    """The reward that plain data is.

    Args:
        row: the data.
        names: the components' names, in the spec's order.
        by: who computed each of them.

    Raises:
        KeyError, TypeError, AttributeError, ValueError: it is none.
    """
    total, parts = row["total"], row["components"]
    if len(parts) != len(names):
        raise TypeError(f"{len(parts)} components, and {len(names)} in the spec")
    return Reward(
        _text(row["id"]),
        None if total is None else _number(total),
        _switch(row["gated"]),
        tuple(_component(name, parts[name], by[name]) for name in names),
    )


def _component(name: str, part: Mapping[str, Any], by: By) -> ComponentResult:
    seconds = _number(part.get("seconds", 0.0))
    return ComponentResult(name, _result(part), by, _switch(part.get("cached", False)), seconds)


def _result(part: Mapping[str, Any]) -> Result:
    status = part["status"]
    if status == "scored":
        metrics = {name: _number(value) for name, value in part.get("metrics", {}).items()}
        return Score(
            _number(part["value"]),
            metrics,
            _text(part.get("reason", "")),
            part.get("evidence"),
            _switch(part.get("stable", True)),
        )
    if status == "skipped":
        return Skipped(_text(part["reason"]))
    if status == "error":
        return Errored(failure_of({"message": part["reason"], **part}))
    raise ValueError(f"status {status!r}")


def _number(value: object) -> float:
    if isinstance(value, bool | int | float) and math.isfinite(value):
        return value
    raise TypeError(f"{value!r} is no finite number")


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError(f"{value!r} is neither true nor false")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
