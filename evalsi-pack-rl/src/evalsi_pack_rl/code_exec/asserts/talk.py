"""What a tester is told, and what it says: each test's nonce goes in, and comes out at its end."""

from __future__ import annotations

import json
import marshal
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalsi.core.sandbox import Outcome
    from evalsi_pack_rl.code_exec.asserts.reading import Reading
    from evalsi_pack_rl.code_exec.cases import AssertCase

__all__ = ["Report", "Talk", "began", "told_candidate"]


@dataclass(frozen=True, slots=True)
class Report:
    """What the tester said at the end of a test.

    Attributes:
        verdict: `passed`, or why not.
        note: what a person should see.
        seconds: how long it took.
    """

    verdict: str
    note: str
    seconds: float


class Talk:
    """Tests for one tester, in their order.

    Args:
        cases: tests of one prelude.
        readings: what each needs.
    """

    def __init__(self, cases: Sequence[AssertCase], readings: Sequence[Reading]) -> None:
        self._nonces = [secrets.token_hex(32) for _ in cases]
        self.told = marshal.dumps(
            {
                "prelude": cases[0].prelude,
                "script": cases[0].style == "script",
                "cases": [_told(*each) for each in zip(cases, readings, self._nonces, strict=True)],
            }
        )

    def reports(self, tester: Outcome) -> list[Report | None]:
        """What it said of each test; None where it did not come to say anything."""
        lines = tester.stdout.splitlines()[1:]
        said = [_read(line) for line in lines[: len(self._nonces)]]
        said += [None] * (len(self._nonces) - len(said))
        return [
            Report(*parts[1:]) if parts and parts[0] == nonce else None
            for parts, nonce in zip(said, self._nonces, strict=True)
        ]


def began(tester: Outcome) -> bool:
    """Whether the tester came to its beginning."""
    return tester.stdout.startswith(b"\n")


def told_candidate(setup: str, reading: Reading) -> bytes:
    """What the program's interpreter is told before the program runs."""
    return marshal.dumps({"setup": setup, "prelude": list(reading.before)})


def _told(case: AssertCase, reading: Reading, nonce: str) -> dict[str, Any]:
    return {
        "nonce": nonce,
        "test": case.test,
        "free": list(reading.free),
        "classes": list(reading.classes),
        "given": list(reading.given),
        "modules": list(reading.modules),
        "watched": list(reading.watched),
        "collected": list(reading.collected),
        "asserting": list(reading.asserting),
        "suites": list(reading.suites),
        "scripted": reading.scripted,
        "ending": list(reading.ending),
        "stateful": reading.stateful,
        "kinds": reading.kinds,
    }


def _read(line: bytes) -> list[Any] | None:
    try:
        parts = json.loads(line)
    except ValueError:
        return None  # cut off
    return parts if isinstance(parts, list) and len(parts) == 4 else None
