"""Numbers that a result cannot hold: JSON has neither NaN nor infinities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from evalsi.core.spec.issues import Path

__all__ = ["not_finite"]


def not_finite(value: object) -> Path | None:
    """The place in plain data of a number that is NaN or infinite; None where all are finite."""
    if isinstance(value, float):
        return None if math.isfinite(value) else ()
    parts: Iterable[tuple[Any, object]] = ()
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    places = ((key, not_finite(part)) for key, part in parts)
    return next(((key, *place) for key, place in places if place is not None), None)
