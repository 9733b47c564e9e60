"""Specs: one loader for every kind, and the binding of what they refer to.

Names are imported at first use, so that the engine, which needs only `Bound`, has no pydantic.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from evalsi.core.spec.bound import Bound, Ref

if TYPE_CHECKING:
    from evalsi.core.spec.binding import bind, load_and_bind
    from evalsi.core.spec.document import Document, json_schema, load
    from evalsi.core.spec.issues import Issue, Mark

__all__ = [
    "Bound",
    "Document",
    "Issue",
    "Mark",
    "Ref",
    "bind",
    "json_schema",
    "load",
    "load_and_bind",
]

_HOMES = {
    "Document": "document",
    "Issue": "issues",
    "Mark": "issues",
    "bind": "binding",
    "json_schema": "document",
    "load": "document",
    "load_and_bind": "binding",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    return found
