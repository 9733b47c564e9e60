"""The digest that keys the cache: typed, so that 1, 1.0 and True differ; any text hashes.

`marshal` at version 2 writes plain data by type and value only (later versions add references
that depend on how an object was made), at the speed of C; lone surrogates pass. It would write
any buffer as bytes, so what is not exactly of a plain type is refused before.
"""

from __future__ import annotations

import hashlib
import marshal
from typing import Any, Final

__all__ = ["Keys", "digest"]

_ATOMS: Final = frozenset({str, int, float, bool, type(None), bytes})


def digest(*parts: Any) -> bytes | None:
    """16 bytes that stand for plain data, or None when a part is not plain data."""
    return Keys("").key(parts)


class Keys:
    """Digests of many contents under one identity.

    Args:
        identity: plain data that every key covers.
    """

    def __init__(self, identity: Any) -> None:
        self._begun = hashlib.blake2b(marshal.dumps(identity, 2), digest_size=16)

    def key(self, content: Any) -> bytes | None:
        """The content's key, or None when it is not plain data, or too deep."""
        try:
            if not _plain(content):
                return None
            data = marshal.dumps(content, 2)
        except (ValueError, RecursionError):
            return None
        hashed = self._begun.copy()
        hashed.update(data)
        return hashed.digest()


def _plain(value: Any) -> bool:
    kind = type(value)
    if kind in _ATOMS:
        return True
    if kind is list or kind is tuple:
        return all(type(item) in _ATOMS or _plain(item) for item in value)
    if kind is dict:
        return all(type(key) in _ATOMS for key in value) and _plain(list(value.values()))
    return False
