"""JSON objects as text, the form in which tables carry what has other keys in every row."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["json_object"]


def json_object(text: str) -> dict[str, Any] | None:
    """The object that a text is, or None when it is none: a set of numbers is no JSON."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None
