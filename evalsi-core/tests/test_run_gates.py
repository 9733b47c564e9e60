"""Gates on metrics: what holds, what does not, and that what was not measured holds nothing."""

from __future__ import annotations

from typing import Any

import pytest

from evalsi.core.run.gates import MetricGate, judge_gate
from evalsi.core.run.summary import MetricSummary

FOUND = MetricSummary("m", 100, 0.7, 0.6, 0.8, 2, 3, 0, 0, "higher", "wilson")
LOST = MetricSummary("lost", 0, None, None, None, 2, 3, 0, 0, "higher", "none")
ALONE = MetricSummary("alone", 1, 0.5, None, None, 0, 0, 0, 0, "higher", "none")
METRICS = {one.name: one for one in (FOUND, LOST, ALONE)}


@pytest.mark.parametrize(
    ("gate", "value", "passed"),
    [
        ({"min": 0.7}, 0.7, True),
        ({"min": 0.71}, 0.7, False),
        ({"max": 0.7}, 0.7, True),
        ({"max": 0.69}, 0.7, False),
        ({"min": 0.5, "max": 0.9}, 0.7, True),
        ({"min": 0.65, "on": "lo"}, 0.6, False),
        ({"min": 0.6, "on": "lo"}, 0.6, True),
        ({"max": 0.75, "on": "hi"}, 0.8, False),
    ],
    ids=str,
)
def test_a_gate_holds_its_number_to_its_bounds(
    gate: dict[str, Any], value: float, passed: bool
) -> None:
    found = judge_gate(MetricGate("m", **gate), METRICS)
    assert (found.value, found.passed, bool(found.reason)) == (value, passed, not passed)


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        (MetricGate("m", min=0.9), "m is 0.7, under 0.9"),
        (MetricGate("m", max=0.75, on="hi"), "hi of m is 0.8, over 0.75"),
        (MetricGate("lost", min=0), "lost was measured on no record (2 skipped, 3 errors)"),
        (
            MetricGate("lost", max=1, on="hi"),
            "lost was measured on no record (2 skipped, 3 errors)",
        ),
        (MetricGate("alone", min=0, on="lo"), "alone has no interval (n = 1)"),
        (MetricGate("gone", max=1), "no record reports gone"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_gate_that_does_not_hold_says_why(gate: MetricGate, reason: str) -> None:
    found = judge_gate(gate, METRICS)
    assert (found.passed, found.reason) == (False, reason)


def test_a_hair_of_rounding_fails_no_gate() -> None:
    dust = MetricSummary("m", 3, 0.7 - 1e-16, 0.1, 0.9, 0, 0, 0, 0, "higher", "t")
    assert judge_gate(MetricGate("m", min=0.7), {"m": dust}).passed


def test_a_result_repeats_its_gate() -> None:
    found = judge_gate(MetricGate("m", min=0.1, max=0.9, on="hi"), METRICS)
    assert (found.metric, found.on, found.min, found.max) == ("m", "hi", 0.1, 0.9)
