"""The result of another evaluator of the same run, as the run engine hands it on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evalsi.core.results import JSON

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["field_of", "other_result"]


def field_of(name: str) -> str:
    """The field in `reads` that holds the result of the evaluator of that name."""
    return f"metadata.@{name}"


def other_result(record: Record, name: str) -> Mapping[str, JSON] | None:
    """The other's `value`, `reason` and `evidence`; None where it has not scored."""
    found = record.metadata.get(f"@{name}")
    return found if isinstance(found, Mapping) else None
