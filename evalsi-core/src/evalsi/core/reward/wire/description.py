"""What a server says of a reward that it has bound: all that a client needs to have its face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalsi.core.reward.arithmetic import Rule, Weighing
from evalsi.core.reward.function import RewardFunction, Terms
from evalsi.core.reward.wire.rows import Reads

__all__ = ["Description", "described", "description_of", "row_of_description"]


@dataclass(frozen=True, slots=True)
class Description:
    """A bound reward without its evaluators.

    Attributes:
        terms: what the spec says.
        rule: its arithmetic.
        grouped: whether a component scores all rollouts of a prompt together.
        reads: what of a rollout decides its reward.
    """

    terms: Terms
    rule: Rule
    grouped: bool
    reads: Reads


def described(function: RewardFunction) -> Description:
    """What a reward is, to those who have none of its packs."""
    fields = {field for bound in function.bounds for field in bound.fields}
    metadata: set[str] | None = set()
    for bound in function.bounds:
        metadata = (
            None if metadata is None or bound.metadata is None else {*metadata, *bound.metadata}
        )
    if function.grouped and function.terms.group_field is None:
        fields |= {"input", "messages"}
    elif function.grouped and metadata is not None and function.terms.group_field is not None:
        metadata.add(function.terms.group_field)
    reads = Reads(frozenset(fields), None if metadata is None else frozenset(metadata))
    return Description(function.terms, function.rule, function.grouped, reads)


def row_of_description(description: Description) -> dict[str, Any]:
    """A description as plain data."""
    terms, rule, reads = description.terms, description.rule, description.reads
    return {
        "name": terms.name,
        "fingerprint": terms.fingerprint,
        "components": [
            {
                "name": weighing.name,
                "weight": weighing.weight,
                "gate": weighing.gate,
                "threshold": weighing.threshold,
            }
            for weighing in rule.weighings
        ],
        "floor": rule.floor,
        "onError": rule.on_error,
        "clip": rule.clip,
        "cache": terms.cache,
        "referenceField": terms.reference_field,
        "groupField": terms.group_field,
        "deadlineSeconds": terms.deadline_s,
        "grouped": description.grouped,
        "reads": {
            "fields": sorted(reads.fields),
            "metadata": None if reads.metadata is None else sorted(reads.metadata),
        },
    }


def description_of(row: Mapping[str, Any]) -> Description:
    """The description that plain data is.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    terms = Terms(
        _text(row["name"]),
        _text(row["fingerprint"]),
        cache=bool(row["cache"]),
        reference_field=row["referenceField"],
        group_field=row["groupField"],
        deadline_s=row["deadlineSeconds"],
    )
    if row["onError"] not in ("raise", "zero", "none"):
        raise ValueError("onError")
    clip = row["clip"]
    rule = Rule(
        tuple(map(_weighing, row["components"])),
        float(row["floor"]),
        row["onError"],
        None if clip is None else (float(clip[0]), float(clip[1])),
    )
    metadata = row["reads"]["metadata"]
    reads = Reads(
        frozenset(map(_text, row["reads"]["fields"])),
        None if metadata is None else frozenset(map(_text, metadata)),
    )
    return Description(terms, rule, bool(row["grouped"]), reads)


def _weighing(row: Mapping[str, Any]) -> Weighing:
    return Weighing(
        _text(row["name"]), float(row["weight"]), bool(row["gate"]), float(row["threshold"])
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value
