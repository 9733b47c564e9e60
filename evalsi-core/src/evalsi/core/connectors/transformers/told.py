"""Failures of the libraries, as this house tells them."""

from __future__ import annotations

from typing import Final

from evalsi.core.chat import ServerError

__all__ = ["failure", "in_a_line"]

_SHOWN: Final = 1000


def failure(told: str, cause: str, error: Exception | None = None) -> ServerError:
    """Why there is no output; what was `refused` would be so again."""
    failed = ServerError(told, cause=cause, retryable=cause != "refused")
    failed.__cause__ = error
    return failed


def in_a_line(error: BaseException) -> str:
    """An error's kind and message, cut."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
