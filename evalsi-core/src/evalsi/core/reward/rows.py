"""A reward as the plain data that files, servers and trackers carry."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from evalsi.core.results import By, ComponentResult, Reward, Score, Skipped
from evalsi.core.reward.loaded import LoadedReward

__all__ = ["provenance", "row_of", "static_provenance"]


def row_of(reward: Reward, *, evidence: bool = False) -> dict[str, Any]:
    """One reward; `evidence` adds what shows why, cut as results keep it."""
    return {
        "id": reward.id,
        "total": reward.total,
        "gated": reward.gated,
        "components": {
            component.name: _component(component, evidence) for component in reward.components
        },
    }


def provenance(reward: Reward) -> dict[str, dict[str, str]]:
    """Who computed each component's number, by component; empty fields are left out."""
    return {component.name: _by(component.by) for component in reward.components}


def static_provenance(reward: LoadedReward) -> dict[str, dict[str, str]]:
    """As `provenance`, before anything ran: without the rungs."""
    return {name: _by(by) for name, by in reward.by.items()}


def _by(by: By) -> dict[str, str]:
    return {field: value for field, value in asdict(by).items() if value}


def _component(component: ComponentResult, evidence: bool) -> dict[str, Any]:
    result = component.result
    if isinstance(result, Score):
        row: dict[str, Any] = {"status": "scored", "value": result.value}
        if result.reason:
            row["reason"] = result.reason
        if result.metrics:
            row["metrics"] = dict(result.metrics)
        if evidence and result.evidence is not None:
            row["evidence"] = result.evidence
    elif isinstance(result, Skipped):
        row = {"status": "skipped", "reason": result.reason}
    else:
        why = result.failure
        row = {"status": "error", "reason": why.message, "kind": why.kind}
        if why.where:
            row["where"] = why.where
    if component.cached:
        row["cached"] = True
    return row
