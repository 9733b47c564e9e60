"""How a rung's checks are written: one program in a fresh jail, one sentence when it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final

from evalsi.core.sandbox import Command, JailSpec, Limits, Outcome, Rung
from evalsi.core.testing.checks import Check, CheckFailed

__all__ = ["LIMITS", "Trials", "answer", "require", "require_ended", "run", "told"]

LIMITS: Final = Limits(wall_s=20.0, cpu_s=10.0, memory_mb=512, processes=32)


class Trials:
    """Checks by name, in order; on a rung below `level` they have nothing to say and pass."""

    def __init__(self, level: int = 0) -> None:
        self._level = level
        self._checks: list[Check[Rung]] = []

    def __iter__(self) -> Iterator[Check[Rung]]:
        return iter(self._checks)

    def add(self, name: str) -> Callable[[Callable[[Rung], None]], None]:
        """Registers the decorated function as a check."""

        def register(attempt: Callable[[Rung], None]) -> None:
            def run(rung: Rung) -> None:
                if rung.level >= self._level:
                    attempt(rung)

            self._checks.append(Check(name, run))

        return register


def run(
    rung: Rung,
    source: str,
    stdin: bytes = b"",
    limits: Limits = LIMITS,
    jail: JailSpec | None = None,
) -> Outcome:
    """Runs a Python text in a jail of its own."""
    with closing(rung.open(jail or JailSpec())) as opened:
        return opened.run(Command(("{python}", "-c", source), stdin), limits)


def answer(rung: Rung, source: str, stdin: bytes = b"") -> str:
    """What an honest program printed; it must end by itself with status 0."""
    outcome = run(rung, source, stdin)
    require(outcome.clean, f"An honest program must end with status 0, but {told(outcome)}.")
    return outcome.stdout.decode().strip()


def require(holds: object, sentence: str) -> None:
    """Fails the check with a sentence unless the promise holds."""
    if not holds:
        raise CheckFailed(sentence)


def require_ended(outcome: Outcome, ended: str, who: str) -> None:
    """Fails the check unless the command ended that way."""
    require(outcome.ended == ended, f"{who} must end as {ended}, but {told(outcome)}.")


def told(outcome: Outcome) -> str:
    """How a command ended, as the end of a sentence."""
    words = outcome.stderr.decode("utf-8", "replace").strip()[-200:]
    return f"it ended as {outcome.ended} ({outcome.status}) and said {words!r}"
