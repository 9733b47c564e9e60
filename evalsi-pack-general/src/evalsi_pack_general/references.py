"""The answers that a record's reference accepts: one, or any of a list."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Final

from evalsi.core.errors import DataError
from evalsi.core.results import JSON, Skipped

__all__ = ["NO_REFERENCE", "accepted"]

NO_REFERENCE: Final = Skipped("the record has no reference")


def accepted(reference: JSON) -> tuple[str, ...]:
    """The texts that a reference accepts; none when it is missing or empty.

    A text or number is one answer, a list holds alternatives; of a mapping its `text` counts, as
    SQuAD has it. An empty text and NaN are what tables make of a missing value, and are left out.

    Raises:
        DataError: it is, or holds, something else.
    """
    if isinstance(reference, Mapping) and "text" in reference:
        reference = reference["text"]
    items = reference if isinstance(reference, list | tuple) else (reference,)
    return tuple(text for item in items if (text := _text(item)))


def _text(item: JSON) -> str:
    if isinstance(item, str):
        return item
    if item is None or (isinstance(item, float) and math.isnan(item)):
        return ""
    if isinstance(item, bool | int | float):
        return json.dumps(item)
    raise DataError(
        f"the reference holds a {type(item).__name__}; it is a text, a number, or a list of these"
    )
