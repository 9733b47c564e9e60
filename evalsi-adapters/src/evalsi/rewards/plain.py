"""What a trainer's tables hold, as the plain data that records are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalsi.core.results import JSON

__all__ = ["NotPlain", "plain"]


class NotPlain(ValueError):  # noqa: N818 - it never leaves the adapters
    """A value that is no plain data; the message is its type."""


def plain(value: object) -> JSON:
    """The value as bool, number, text, list or dict.

    Arrays and scalars of NumPy and torch become lists and numbers: a parquet file's nested columns
    arrive as arrays of objects.

    Raises:
        NotPlain: it is, or holds, anything else (an image, a tokenizer, a date, bytes).
    """
    listed = getattr(value, "tolist", None)
    found = listed() if callable(listed) else value
    if found is None or isinstance(found, bool):
        return found
    for kind in (str, int, float):  # a subclass hashes apart from its plain twin
        if isinstance(found, kind):
            return kind(found)
    if isinstance(found, Mapping):
        return {str(key): plain(item) for key, item in found.items()}
    if isinstance(found, Sequence) and not isinstance(found, bytes | bytearray | memoryview):
        return [plain(item) for item in found]
    raise NotPlain(type(found).__qualname__)
