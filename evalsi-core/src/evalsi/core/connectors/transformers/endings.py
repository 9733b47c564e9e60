"""When the texts of a batch end, each on its own: which token was a text's last, and why."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

__all__ = ["Endings", "Row"]

_Why: TypeAlias = Literal["", "stop", "length", "timeout", "gone"]
Decode: TypeAlias = Callable[[Sequence[int]], str]

_MARGIN: Final = 8
"""Tokens before a stop text that are decoded with it, for those that have no text of their own."""


@dataclass(slots=True)
class Row:
    """One text of a batch.

    Attributes:
        limit: most tokens of it.
        is_gone: whether nobody waits for it any more.
        tokens: what it has, the token included that ended it.
        finish: why it ended, or "".
        seconds: from the start of the batch to its end.
    """

    limit: int
    is_gone: Callable[[], bool] = lambda: False
    tokens: list[int] = field(default_factory=list)
    finish: _Why = ""
    seconds: float = 0.0


class Endings:
    """Takes a token for every row at a time, and says which rows have ended.

    Args:
        rows: the texts; a token that comes after the end of one is no part of it.
        last: tokens that end a text.
        stops: texts that end a text.
        decode: gives tokens as text.
        timeout_s: seconds from now that the rows have.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        last: frozenset[int],
        stops: Sequence[str],
        decode: Decode,
        timeout_s: float,
    ) -> None:
        self._rows = rows
        self._last = last
        self._stops = stops
        self._decode = decode
        self._begun = time.monotonic()
        self._timeout_s = timeout_s
        # A token of a text holds at least one of its bytes.
        self._tail = max((len(stop.encode()) for stop in stops), default=0) + _MARGIN

    def take(self, tokens: Sequence[int]) -> list[bool]:
        """Takes the next token of each row; True for rows that have ended."""
        passed_s = time.monotonic() - self._begun
        for row, token in zip(self._rows, tokens, strict=True):
            if not row.finish:
                row.tokens.append(token)
                row.finish, row.seconds = self._why(row, passed_s), passed_s
        return [bool(row.finish) for row in self._rows]

    def text(self, row: Row) -> str:
        """The text of a row, without what ended it."""
        ended = bool(row.tokens) and row.tokens[-1] in self._last
        text = self._decode(row.tokens[:-1] if ended else row.tokens)
        found = [at for at in map(text.find, self._stops) if at >= 0]
        return text[: min(found)] if found else text

    def _why(self, row: Row, passed_s: float) -> _Why:
        if row.tokens[-1] in self._last or self._is_stopped(row):
            return "stop"
        if len(row.tokens) >= row.limit:
            return "length"
        if passed_s > self._timeout_s:
            return "timeout"
        return "gone" if row.is_gone() else ""

    def _is_stopped(self, row: Row) -> bool:
        # The tail may read differently than the whole, but is all that is read at every token.
        return self._holds(row.tokens[-self._tail :]) and self._holds(row.tokens)

    def _holds(self, tokens: Sequence[int]) -> bool:
        if not self._stops:
            return False
        text = self._decode(tokens)
        return any(stop in text for stop in self._stops)
