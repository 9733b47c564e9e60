"""Named checks: what a conformance kit is made of, with and without pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Generic, TypeVar

__all__ = ["Check", "CheckFailed", "Finding", "run_checks"]

T = TypeVar("T")
_NO_GAPS: Final[Mapping[str, str]] = MappingProxyType({})


class CheckFailed(AssertionError):  # noqa: N818 - a verdict, not a fault
    """A check's subject breaks its contract; the message is a full sentence."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise.

    Attributes:
        check: the name of the check that found it.
        message: a full sentence: what is wrong and what the contract asks for.
    """

    check: str
    message: str


@dataclass(frozen=True, slots=True)
class Check(Generic[T]):
    """One promise of a contract.

    Attributes:
        name: short, lower-case, with hyphens; stable, for `known_gaps`.
        run: tries the promise on a subject; raises `CheckFailed`.
    """

    name: str
    run: Callable[[T], None]


def run_checks(
    checks: Iterable[Check[T]], subject: T, known_gaps: Mapping[str, str] = _NO_GAPS
) -> list[Finding]:
    """Runs checks and collects the failures; an empty list is a pass.

    Args:
        checks: the checks, in the order in which they run.
        subject: what they are tried on.
        known_gaps: reasons by check name; these checks are not expected to pass. One that
            passes after all is a finding too, so that a list of gaps cannot grow stale.
    """
    findings = []
    for check in checks:
        message = _failure(check, subject)
        if check.name not in known_gaps:
            if message is not None:
                findings.append(Finding(check.name, message))
        elif message is None:
            findings.append(Finding(check.name, f"A known gap passes: take `{check.name}` out."))
    return findings


def _failure(check: Check[T], subject: T) -> str | None:
    try:
        check.run(subject)
    except CheckFailed as failed:
        return str(failed)
    except Exception as error:  # noqa: BLE001 - whatever a subject raises is a finding
        return f"The check raised {type(error).__name__}: {error}"
    return None
