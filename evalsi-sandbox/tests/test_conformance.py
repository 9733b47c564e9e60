"""Every promise of the rung contract, tried on every rung and tool."""

from __future__ import annotations

import pytest

from evalsi.core.sandbox import Rung, Usable
from evalsi.core.testing.checks import Check
from evalsi.core.testing.rung import rung_checks


@pytest.mark.parametrize("check", rung_checks(), ids=lambda check: check.name)
def test_a_rung_keeps_the_promise(rung: Rung, check: Check[Rung]) -> None:
    check.run(rung)


def test_a_canary_finds_the_rung_usable(rung: Rung) -> None:
    verdict = rung.probe()

    assert isinstance(verdict, Usable), verdict


def test_a_probe_says_how_memory_is_held(rung: Rung) -> None:
    verdict = rung.probe()

    assert isinstance(verdict, Usable)
    assert "memory" in verdict.detail
