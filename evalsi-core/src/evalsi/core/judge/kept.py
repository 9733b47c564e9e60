"""Verdicts that are kept: by judge, prompt and content, the least recently used out first."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, TypeVar

from evalsi.core.judge.contract import Question, prompt_hash
from evalsi.core.judge.lock import LOCK
from evalsi.core.judge.verdict_file import VerdictFile

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["KeptVerdicts"]

A = TypeVar("A", bound="BaseModel")

_OVERHEAD: Final = 256
"""Bytes of a key, a text object and their places in the table."""


class KeptVerdicts:
    """The JSON of verdicts. Safe from many threads.

    Args:
        judge: the judge's name and address.
        path: a file that keeps them as well, or None.
        max_bytes: about the most that is kept in memory.
    """

    def __init__(
        self, judge: str, path: str | None = None, max_bytes: int = 64 * 1024 * 1024
    ) -> None:
        self._judge = judge
        self._file = None if path is None else VerdictFile(path)
        self._max_bytes = max_bytes
        self._bytes = 0
        self._texts: OrderedDict[bytes, str] = OrderedDict()

    def key(self, question: Question[A]) -> bytes:
        """What a question's verdict is kept under."""
        prompt = prompt_hash(question.instructions, question.answer)
        text = json.dumps([self._judge, prompt, question.content])
        return hashlib.blake2b(text.encode(), digest_size=16).digest()

    def get(self, key: bytes) -> str | None:
        """A kept verdict, now the most recently used."""
        with LOCK:
            text = self._texts.get(key)
            if text is not None:
                self._texts.move_to_end(key)
            elif self._file is not None and (text := self._file.get(key)) is not None:
                self._hold(key, text)
            return text

    def put(self, key: bytes, text: str) -> None:
        """Keeps a verdict; makes room in memory by dropping the least recently used."""
        with LOCK:
            if key not in self._texts:
                self._hold(key, text)
            if self._file is not None:
                self._file.put(key, text)

    def _hold(self, key: bytes, text: str) -> None:
        self._texts[key] = text
        self._bytes += len(text) + _OVERHEAD
        while self._bytes > self._max_bytes:
            _, dropped = self._texts.popitem(last=False)
            self._bytes -= len(dropped) + _OVERHEAD
