"""The content cache: least recently used out first, bounded by count and by bytes."""

from __future__ import annotations

import marshal
import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Any, Final

from evalsi.core.results import Result, Score, Skipped

__all__ = ["ContentCache"]

_OVERHEAD: Final = 512
"""Bytes of a key, a result object and their places in the table, measured on CPython 3.11."""


class ContentCache:
    """Results by digest; errors and unstable scores are never kept. Safe from many threads.

    Args:
        max_items: results kept.
        max_bytes: their size, as far as it is known.
    """

    def __init__(self, max_items: int = 1 << 17, max_bytes: int = 128 * 1024 * 1024) -> None:
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._items: OrderedDict[bytes, tuple[tuple[Result, ...], int, bool]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: bytes) -> tuple[Result, ...] | None:
        """The kept results of a unit, now the most recently used."""
        with self._lock:
            found = self._items.get(key)
            if found is None:
                return None
            self._items.move_to_end(key)
        return tuple(map(_own, found[0])) if found[2] else found[0]

    def put(self, key: bytes, results: tuple[Result, ...]) -> None:
        """Keeps stable scores and skips; makes room by dropping the least recently used."""
        if not all(map(_keeps, results)):
            return
        size = sum(map(_size, results))
        with self._lock:
            if key in self._items:
                return
            self._items[key] = (tuple(map(_own, results)), size, any(map(_writable, results)))
            self._bytes += size
            while len(self._items) > self._max_items or self._bytes > self._max_bytes:
                _, (_, dropped, _) = self._items.popitem(last=False)
                self._bytes -= dropped


def _writable(result: Result) -> bool:
    return isinstance(result, Score) and result.evidence is not None


def _own(result: Result) -> Result:
    """The result with evidence of its own: a caller may write into what it was given."""
    if isinstance(result, Score) and _writable(result):
        evidence: Any = result.evidence
        copied = marshal.loads(marshal.dumps(evidence))  # noqa: S302 - our own bytes
        return replace(result, evidence=copied)
    return result


def _keeps(result: Result) -> bool:
    return result.stable if isinstance(result, Score) else isinstance(result, Skipped)


def _size(result: Result) -> int:
    if not isinstance(result, Score):
        return _OVERHEAD
    evidence: Any = result.evidence
    size = _OVERHEAD + len(result.reason) + 64 * len(result.metrics)
    return size if evidence is None else size + len(marshal.dumps(evidence, 2))
