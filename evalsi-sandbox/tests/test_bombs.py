"""Bombs, started as root, in a group of the test's own: the jail holds, and the host answers."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Pen

SCRIPT = """
import json, sys
from contextlib import closing
from evalsi.core.engine import current_engine
from evalsi.core.sandbox import Command, JailSpec, Limits
from evalsi_sandbox.{module} import {rung}

def throw(source, **limits):
    with closing({rung}(current_engine()).open(JailSpec())) as jail:
        return jail.run(Command(("{{python}}", "-c", source)), Limits(**limits))

if __name__ == "__main__":
    outcome = throw({source!r}, **{limits!r})
    print(json.dumps([outcome.ended, outcome.status, len(outcome.stdout), len(outcome.stderr)]))
"""
FORKS = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
THREADS = (
    "import threading, time\nn = 0\ntry:\n"
    "    while True: threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); n += 1\n"
    "except RuntimeError: print('x' * n, flush=True); import os; os._exit(0)"
)
MEMORY = (
    "import os\nfor _ in range(8):\n    if os.fork() == 0: break\n"
    "held = []\nwhile True: held.append(bytearray(b'x') * (8 << 20))"
)
OUTPUT = "import os\nblock = b'x' * (1 << 20)\nfor n in range(10_240): os.write(1 + n % 2, block)"
FILES = (
    "import itertools\ntry:\n    for n in itertools.count():\n"
    "        with open(f'/dev/shm/{n}', 'wb') as file: file.write(b'x' * (1 << 20))\n"
    "except OSError: print(n)"
)


def throw(pen: Pen, tool: str, source: str, **limits: float) -> Any:
    names = {"module": "namespaced", "rung": "NamespacedRung"}
    script = SCRIPT.format(source=source, limits=limits, **names)
    return json.loads(pen.run(script, EVALSI_NAMESPACED_LAUNCHER=tool))


@pytest.fixture(autouse=True)
def _host_answers(pen: Pen) -> Any:
    """After the bomb nothing of it is left, and a process starts as fast as before."""
    yield
    assert pen.processes() == []
    started = time.monotonic()
    subprocess.run(["/bin/true"], check=True)
    assert time.monotonic() - started < 10


def test_a_fork_bomb_ends_at_its_wall_limit(pen: Pen, tool: str) -> None:
    ended, *_ = throw(pen, tool, FORKS, wall_s=3.0, processes=64)

    assert ended in {"wall", "cpu"}


def test_a_thread_bomb_stops_at_the_cap(pen: Pen, tool: str) -> None:
    ended, status, threads, _ = throw(pen, tool, THREADS, wall_s=20.0, processes=32)

    assert (ended, status) == ("exited", 0)
    assert 0 < threads <= 33


def test_a_memory_bomb_of_many_processes_ends_as_memory(pen: Pen, tool: str) -> None:
    ended, *_ = throw(pen, tool, MEMORY, wall_s=30.0, memory_mb=256)

    assert ended == "memory"


def test_ten_gigabytes_of_output_end_at_the_limit(pen: Pen, tool: str) -> None:
    ended, _, stdout, stderr = throw(pen, tool, OUTPUT, wall_s=60.0, output_bytes=3_000_000)

    assert ended == "output"
    assert max(stdout, stderr) == 3_000_000


def test_the_sum_of_files_in_shared_memory_is_bounded(pen: Pen, tool: str) -> None:
    ended, status, *_ = throw(pen, tool, FILES, wall_s=20.0)

    assert (ended, status) == ("exited", 0)


@pytest.mark.parametrize(
    ("module", "rung"), [("process", "ProcessRung"), ("confined", "ConfinedRung")]
)
def test_a_fork_bomb_without_namespaces_ends_at_its_wall_limit(
    pen: Pen, module: str, rung: str
) -> None:
    limits = {"wall_s": 3.0, "processes": 64}
    script = SCRIPT.format(module=module, rung=rung, source=FORKS, limits=limits)

    ended, *_ = json.loads(pen.run(script))

    assert ended in {"wall", "cpu"}


def test_a_memory_bomb_under_confined_ends_as_memory(pen: Pen) -> None:
    limits = {"wall_s": 30.0, "memory_mb": 256}
    names = {"module": "confined", "rung": "ConfinedRung"}
    script = SCRIPT.format(source=MEMORY, limits=limits, **names)

    ended, *_ = json.loads(pen.run(script))

    assert ended == "memory"
