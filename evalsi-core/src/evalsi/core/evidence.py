"""Evidence made safe to keep: plain data, cut to a size, every cut marked in its place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from evalsi.core.results import JSON

__all__ = ["bounded_evidence"]

_STRING_BYTES: Final = 2 * 1024
_TOTAL_BYTES: Final = 16 * 1024
_DEPTH: Final = 32
_NODE_BYTES: Final = 16


def bounded_evidence(evidence: object) -> JSON:
    """Evidence cut to 2 KiB a string, 16 KiB and 32 levels in all; what is no JSON becomes text."""
    return _Knife().cut(evidence, _DEPTH)


class _Knife:
    def __init__(self) -> None:
        self._left = _TOTAL_BYTES

    def cut(self, value: object, depth: int) -> JSON:
        if self._left <= 0 or depth == 0:
            return "… (cut)"
        self._left -= _NODE_BYTES
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list | tuple):
            return self._list(value, depth)
        return self._leaf(value)

    def _mapping(self, value: Mapping[object, object], depth: int) -> dict[str, JSON]:
        kept: dict[str, JSON] = {}
        for key, item in value.items():
            if self._left <= 0:
                kept["…"] = f"{len(value) - len(kept)} more (cut)"
                break
            kept[self._text(str(key))] = self.cut(item, depth - 1)
        return kept

    def _list(self, value: list[object] | tuple[object, ...], depth: int) -> list[JSON]:
        kept: list[JSON] = []
        for item in value:
            if self._left <= 0:
                kept.append(f"… {len(value) - len(kept)} more (cut)")
                break
            kept.append(self.cut(item, depth - 1))
        return kept

    def _leaf(self, value: object) -> JSON:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            bits = value.bit_length()
            self._left -= bits // 8
            return int(value) if bits <= _STRING_BYTES else f"an integer of {bits} bits"
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else repr(float(value))  # JSON has no NaN
        return self._text(f"{type(value).__name__}: {value!r}")

    def _text(self, text: str) -> str:
        limit = max(0, min(_STRING_BYTES, self._left))
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        self._left -= min(size, limit)
        if size <= limit:
            return str(text)
        head = text[:limit].encode("utf-8", "surrogatepass")[:limit]
        return head.decode("utf-8", "ignore") + f"… ({size - len(head)} bytes cut)"
