"""Arrays of numpy as forms: the type of an item, and the items as plain data.

Each side makes an array only where numpy is loaded there anyway; else it has lists.
"""

from __future__ import annotations

import re
import sys
from typing import Any

ITEM = re.compile(r"[<>|=]?[biufcU]\d{1,3}")


def is_array(value: object) -> bool:
    """Whether a value is an array, or a number, of numpy."""
    return type(value).__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist")


def form(value: Any, write: Any) -> Any:
    """The form of an array, or of a number.

    Args:
        value: it.
        write: gives the form of plain data.
    """
    item = getattr(value, "dtype", None)
    plain = write(value.tolist())
    if type(value).__name__ != "ndarray" or ITEM.fullmatch(getattr(item, "str", "")) is None:
        return plain
    return ["A", item.str, plain]  # type: ignore[union-attr]


def made(item: Any, value: Any) -> Any:
    """The array of a form; the plain data where there is no numpy."""
    numpy = sys.modules.get("numpy")
    if type(item) is not str or ITEM.fullmatch(item) is None:
        raise ValueError("no type of an array's items")
    return value if numpy is None else numpy.array(value, dtype=item)
