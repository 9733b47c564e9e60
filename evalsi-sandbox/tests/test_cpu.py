"""CPU time: each process's own, all of a jail's together, and a share for everybody else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Pen

SCRIPT = """
import json, os, threading, time
from contextlib import closing
from evalsi.core.engine import current_engine
from evalsi.core.sandbox import Command, JailSpec, Limits, Program, PythonFork
from evalsi_sandbox import cgroup
from evalsi_sandbox.{module} import {rung}

if not {in_cgroup}:
    cgroup.make = lambda held: None

def throw(source, **limits):
    if {fork}:
        rung = {rung}(current_engine())
        rung.open(JailSpec()).close()
        with closing(rung.ability(PythonFork).load(Program(source))) as loaded:
            return loaded.case(b"", Limits(**limits))
    with closing({rung}(current_engine()).open(JailSpec())) as jail:
        return jail.run(Command(("{{python}}", "-c", source)), Limits(**limits))

def tell(outcome):
    print(json.dumps([outcome.ended, outcome.status, outcome.wall_s, outcome.cpu_s]), flush=True)

if __name__ == "__main__":
{body}
"""
HOG = (
    "import os\nfor n in range({count}):\n    if os.fork() == 0:\n        os.setsid()\n"
    "        while True: pass\nwhile True: pass"
)
ONE = "    tell(throw('''{source}''', **{limits}))"
TWO = """
    hog = threading.Thread(target=throw, args=('''{hog}''',), kwargs=dict(wall_s=20.0, cpu_s=9.0))
    hog.start()
    time.sleep(1)
    tell(throw('n = 0\\nwhile n < 9_000_000: n += 1', wall_s=20.0))
    os._exit(0)
"""
NAMESPACED = {"module": "namespaced", "rung": "NamespacedRung", "fork": False, "in_cgroup": True}
PROCESS = {"module": "process", "rung": "ProcessRung", "fork": False, "in_cgroup": True}
WAYS = {
    "process": PROCESS,
    "namespaced": NAMESPACED,
    "namespaced without a cgroup": {**NAMESPACED, "in_cgroup": False},
    "standing": {**NAMESPACED, "fork": True},
    "standing without a cgroup": {**NAMESPACED, "fork": True, "in_cgroup": False},
}


def said(pen: Pen, way: dict[str, Any], body: str, tool: str = "bubblewrap") -> Any:
    script = SCRIPT.format(body=body, **way)
    return json.loads(pen.run(script, EVALSI_NAMESPACED_LAUNCHER=tool))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_many_processes_that_spin_end_as_cpu(pen: Pen, way: dict[str, Any]) -> None:
    body = ONE.format(source=HOG.format(count=20), limits={"wall_s": 40.0, "cpu_s": 1.0})

    ended, _, _, cpu_s = said(pen, way, body)

    assert ended == "cpu"
    assert cpu_s >= 2


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_two_processes_that_each_keep_to_the_limit_live(pen: Pen, way: dict[str, Any]) -> None:
    source = (
        "import os, time\nchild = os.fork()\nwhile time.process_time() < 0.7: pass\n"
        "if child: os.wait()"
    )

    ended, status, *_ = said(
        pen, way, ONE.format(source=source, limits={"wall_s": 40.0, "cpu_s": 1.0})
    )

    assert (ended, status) == ("exited", 0)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_children_that_nobody_waits_for_do_not_take_their_time_along(
    pen: Pen, way: dict[str, Any]
) -> None:
    source = (
        "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for n in range(999):\n    if os.fork() == 0:\n"
        "        while time.process_time() < 0.4: pass\n        os._exit(0)\n"
        "    time.sleep(0.3)"
    )
    body = ONE.format(source=source, limits={"wall_s": 40.0, "cpu_s": 1.0})

    ended, *_ = said(pen, way, body)

    assert ended == "cpu"


def test_a_jail_gets_its_share_beside_one_that_spins(pen: Pen) -> None:
    ended, status, wall_s, cpu_s = said(pen, NAMESPACED, TWO.format(hog=HOG.format(count=62)))

    assert (ended, status) == ("exited", 0)
    assert wall_s < 12 * cpu_s  # among 62 equals on two processors it would be 30
