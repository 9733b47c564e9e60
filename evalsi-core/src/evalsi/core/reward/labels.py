"""What a trainer's one column of labels says about a rollout: its reference, or a whole row.

verl and OpenRLHF hand over one value a row. What a program is tested with takes more, so a label
may be an object, whose fields the rollout gets; datasets carry it as JSON text. A number of tokens
in it is another text's than the completion that is scored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evalsi.core.records import REFERENCE_FIELDS
from evalsi.core.reward.json_object import json_object

__all__ = ["row_of_label"]

_TOKENS: Final = frozenset({"completion_tokens", "completion_ids"})


def row_of_label(label: object, reference_field: str | None = None) -> dict[str, Any]:
    """The fields that a label gives a rollout.

    Args:
        label: the reference; None and "" are none. A mapping, or text that is a JSON object, is a
            row: its fields are the rollout's. Where none of them is a reference, the whole label
            is it too.
        reference_field: the spec's `referenceField`; by default the first of `REFERENCE_FIELDS`.
    """
    if label is None or label == "":
        return {}
    row = {name: value for name, value in _fields(label).items() if name not in _TOKENS}
    named = (reference_field,) if reference_field else REFERENCE_FIELDS
    if all(row.get(name) is None for name in named):
        row[named[0]] = label
    return row


def _fields(label: object) -> Mapping[str, Any]:
    if isinstance(label, Mapping):
        return label
    return (isinstance(label, str) and json_object(label)) or {}
