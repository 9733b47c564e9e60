"""What a command's end is called."""

from __future__ import annotations

import pytest

from evalsi.core.sandbox import Limits
from evalsi_sandbox.capture import Used, Watch

SIGABRT, SIGKILL, SIGXCPU = 6, 9, 24


@pytest.mark.parametrize(
    ("used", "ended"),
    [
        pytest.param(Used(0, 0.1), ("exited", 0), id="exits"),
        pytest.param(Used(137, 0.1), ("exited", 137), id="exits like a kill"),
        pytest.param(Used(-SIGABRT, 0.1), ("signalled", 6), id="aborts"),
        pytest.param(Used(-SIGXCPU, 0.97), ("cpu", 24), id="reaches its CPU limit"),
        pytest.param(Used(-SIGXCPU, 0.01), ("signalled", 24), id="says so itself, too early"),
        pytest.param(Used(-SIGKILL, 1.9), ("cpu", 9), id="ignores its CPU limit"),
        pytest.param(Used(-SIGKILL, 0.5), ("signalled", 9), id="is killed before its CPU limit"),
    ],
)
def test_a_command_that(used: Used, ended: tuple[str, int]) -> None:
    outcome = Watch(-1, -1, -1, Limits(cpu_s=1)).outcome(used, killed=False, out_of_memory=False)

    assert (outcome.ended, outcome.status) == ended


@pytest.mark.parametrize(
    ("killed", "stopped", "ended"),
    [(True, "wall", "killed"), (False, "wall", "wall"), (False, None, "memory")],
    ids=["our kill first", "then a limit that we keep", "then memory"],
)
def test_the_cause_that_came_first_names_the_end(killed: bool, stopped: None, ended: str) -> None:
    watch = Watch(-1, -1, -1, Limits(), stopped=stopped)

    assert watch.outcome(Used(-9), killed=killed, out_of_memory=True).ended == ended
