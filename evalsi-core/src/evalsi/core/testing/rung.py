"""The conformance kit of a sandbox rung: what every rung promises, each promise tried by itself.

    for finding in check_rung(MyRung(launcher)):
        print(finding.check, finding.message)

With pytest, one test a promise: `parametrize("check", rung_checks(), ids=lambda c: c.name)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from evalsi.core.testing.checks import Check, Finding, run_checks
from evalsi.core.testing.rung_commands import COMMANDS
from evalsi.core.testing.rung_limits import LIMITED
from evalsi.core.testing.rung_walls import WALLS

if TYPE_CHECKING:
    from evalsi.core.sandbox import Rung

__all__ = ["check_rung", "rung_checks"]

_NO_GAPS: Final[Mapping[str, str]] = MappingProxyType({})


def check_rung(rung: Rung, known_gaps: Mapping[str, str] = _NO_GAPS) -> list[Finding]:
    """Tries every promise of a rung; an empty list is a pass.

    Args:
        rung: the rung, usable on this machine.
        known_gaps: reasons by check name for promises that this rung does not keep.
    """
    return run_checks(rung_checks(), rung, known_gaps)


def rung_checks() -> list[Check[Rung]]:
    """Every check; those that ask more than a rung's level promises pass on it."""
    return [*COMMANDS, *LIMITED, *WALLS]
