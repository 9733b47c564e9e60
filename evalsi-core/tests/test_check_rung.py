"""The conformance kit of a rung: it finds what a rung does not keep, and says so in sentences."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import ClassVar, TypeVar

import pytest

from evalsi.core.sandbox import Command, Ended, JailSpec, Limits, Outcome, Usable
from evalsi.core.testing.checks import CheckFailed
from evalsi.core.testing.rung import check_rung, rung_checks

A = TypeVar("A")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a rung without walls writes where it stands


CHECKS = {check.name: check for check in rung_checks()}


class BareJail:
    """No walls at all: a plain subprocess in the opener's folder and environment."""

    enforced: ClassVar[Mapping[str, str]] = {}

    def run(self, command: Command, limits: Limits) -> Outcome:
        argv = [sys.executable, *command.argv[1:]]
        ran = subprocess.run(argv, input=command.stdin, capture_output=True, check=False)
        ended: Ended = "exited" if ran.returncode >= 0 else "signalled"
        return Outcome(ended, abs(ran.returncode), ran.stdout, ran.stderr)

    def kill(self) -> None: ...

    def close(self) -> None: ...


class BareRung:
    name = "bare"

    def __init__(self, level: int) -> None:
        self.level = level

    def probe(self) -> Usable:
        return Usable("no walls")

    def open(self, jail: JailSpec) -> BareJail:
        return BareJail()

    def ability(self, kind: type[A]) -> A | None:
        return None


@pytest.mark.parametrize(
    "name",
    [
        "clean-environment",
        "own-environment",
        "file-size-limit",
        "open-files-limit",
        "box-files",
        "host-network-refused",
        "host-files-hidden",
        "host-processes-hidden",
        "no-privileges",
    ],
)
def test_a_rung_without_walls_fails_the_check(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALSI_TEST_SECRET", "1")

    with pytest.raises(CheckFailed, match=r"^[A-Z/].*\.$"):
        CHECKS[name].run(BareRung(level=2))


@pytest.mark.parametrize("name", ["exit-status", "signal", "outputs-captured", "close-twice"])
def test_a_promise_that_is_kept_passes(name: str) -> None:
    CHECKS[name].run(BareRung(level=0))


@pytest.mark.parametrize("name", ["host-network-refused", "host-files-hidden", "no-privileges"])
def test_a_rung_is_not_asked_for_more_than_its_level_promises(name: str) -> None:
    CHECKS[name].run(BareRung(level=0))


def test_every_check_has_a_name_of_its_own() -> None:
    names = [check.name for check in rung_checks()]

    assert len(names) == len(set(names))


class BrokenRung(BareRung):
    def open(self, jail: JailSpec) -> BareJail:
        raise RuntimeError("no jails today")


def test_without_pytest_the_kit_returns_findings_instead_of_raising() -> None:
    findings = check_rung(BrokenRung(level=0))

    assert "no jails today" in findings[0].message


def test_a_declared_gap_is_no_finding() -> None:
    gaps = {check.name: "no jails" for check in rung_checks()}

    assert check_rung(BrokenRung(level=2), gaps) == []


def test_a_gap_that_has_closed_is_a_finding() -> None:
    found = check_rung(BrokenRung(level=0), {"no-privileges": "level 0 cannot"})

    assert ("no-privileges", "A known gap passes: take `no-privileges` out.") in [
        (finding.check, finding.message) for finding in found
    ]
