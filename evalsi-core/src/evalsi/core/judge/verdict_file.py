"""Verdicts in a file, so that another run does not pay for them again.

SQLite, because several processes may share it. A file that fails costs the keeping of verdicts,
never a verdict: it is told once and let be.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from typing import Final

__all__ = ["VerdictFile"]

_LOG: Final = logging.getLogger("evalsi")
_BUSY_S: Final = 2.0
_INHERITED: Final[list[sqlite3.Connection]] = []
"""A parent's connections in a forked child, where closing one would end the parent's journal."""


class VerdictFile:
    """Texts by key. Its caller holds `judge.lock.LOCK`.

    Args:
        path: the file, made when it is not there.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._opened: sqlite3.Connection | None = None
        self._process = 0
        self._broken = False

    def get(self, key: bytes) -> str | None:
        """The text of a key, or None."""
        try:
            held = self._connection()
            found = held and held.execute("select text from verdicts where key = ?", (key,))
            row = found.fetchone() if found else None
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        return str(row[0]) if row else None

    def put(self, key: bytes, text: str) -> None:
        """Keeps a text; one that is there stays."""
        try:
            held = self._connection()
            if held is not None:
                held.execute("insert or ignore into verdicts values (?, ?)", (key, text))
        except sqlite3.Error as error:
            self._give_up(error)

    def __del__(self) -> None:
        if self._opened is not None and self._process == os.getpid():
            self._opened.close()

    def _connection(self) -> sqlite3.Connection | None:
        if self._broken:
            return None
        if self._opened is not None and self._process != os.getpid():
            _INHERITED.append(self._opened)
            self._opened = None
        if self._opened is None:
            self._process = os.getpid()
            self._opened = sqlite3.connect(
                self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            self._opened.execute("pragma journal_mode = wal")
            self._opened.execute("pragma synchronous = normal")
            self._opened.execute(
                "create table if not exists verdicts (key blob primary key, text text not null)"
            )
        return self._opened

    def _give_up(self, error: sqlite3.Error) -> None:
        self._broken = True
        _LOG.warning("the judge's verdicts are not kept in %s: %s", self._path, error)
