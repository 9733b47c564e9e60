"""Sizes and bombs: what is too much for the fast path is still a program's own outcome, in time."""

from __future__ import annotations

import json
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from evalsi.core.sandbox import Limits, Outcome, Program
from evalsi_sandbox.namespaced.forks import JailForks

if TYPE_CHECKING:
    from conftest import Pen


def run(forks: JailForks, source: str, stdin: bytes = b"", **limits: float) -> Outcome:
    with closing(forks.load(Program(source))) as loaded:
        return loaded.case(stdin, Limits(**limits))  # type: ignore[arg-type]


def test_a_hundred_megabytes_of_input_are_read(forks: JailForks) -> None:
    source = (
        "import sys\nsize = 0\n"
        "while part := sys.stdin.buffer.read(1 << 20): size += len(part)\nprint(size)"
    )

    outcome = run(forks, source, bytes(100_000_000), wall_s=30.0)

    assert outcome.stdout == b"100000000\n"


def test_ten_megabytes_of_source_run(forks: JailForks) -> None:
    source = "x = '''" + "a" * 10_000_000 + "'''\nprint(len(x))"

    assert run(forks, source, wall_s=30.0).stdout == b"10000000\n"


def test_eight_megabytes_of_output_come_back(forks: JailForks) -> None:
    source = "import sys\nfor _ in range(8): sys.stdout.write('x' * (1 << 20))"

    outcome = run(forks, source, wall_s=30.0)

    assert (outcome.ended, len(outcome.stdout)) == ("exited", 8 << 20)


def test_both_outputs_come_back_whole(forks: JailForks) -> None:
    source = (
        "import os\nfor n in range(2000): os.write(1, b'o' * 1000); os.write(2, b'e' * 999)\n"
        "os.write(2, b'!')"
    )

    outcome = run(forks, source, wall_s=30.0)

    assert outcome.stdout == b"o" * 2_000_000
    assert outcome.stderr == b"e" * 1_998_000 + b"!"


SCRIPT = """
import json, time
from evalsi.core.engine import current_engine
from evalsi.core.sandbox import Limits, Program, PythonFork
from evalsi_sandbox.namespaced import NamespacedRung

if __name__ == "__main__":
    forks = NamespacedRung(current_engine()).ability(PythonFork)
    source, limits = {source!r}, {limits!r}
    said = []
    loaded = forks.load(Program(eval(source)))
    for _ in range(2):
        outcome = loaded.case(b"", Limits(**limits))
        said.append(outcome.ended)
    loaded.close()
    next_one = forks.load(Program("print(1)"))
    said.append(next_one.case(b"", Limits()).stdout.decode())
    print(json.dumps(said))
"""
FORKS = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
MEMORY = "x = []\nwhile True: x.append(bytearray(b'x') * (1 << 22))"
FILES = "n = 0\nwhile True:\n  n += 1\n  open(f'/tmp/{n}', 'wb').write(bytes(1 << 20))"
BOMBS = {
    "forks": (repr(FORKS), {"wall", "cpu"}),
    "memory": (repr(MEMORY), {"exited", "memory"}),
    "memory of many": (
        repr("import os\nfor _ in range(8): os.fork()\n" + MEMORY),
        {"memory", "exited", "wall", "cpu", "signalled"},
    ),
    "files": (repr(FILES), {"exited"}),
    "descriptors": (repr("import os\nwhile True: os.dup(0)"), {"exited"}),
    "constants": ("';'.join(f'x{n}=\"{n:09}\"*450' for n in range(9000))", {"exited", "memory"}),
    "nesting": ("'f(' * 90_000", {"exited", "signalled"}),
    "lambdas": ("'lambda: ' * 30_000 + '0'", {"exited", "signalled"}),
    "unary": ("'x = ' + '~' * 200_000 + '1'", {"exited", "signalled"}),
    "comprehensions": ("'[' * 90 + '1' + ' for a in b]' * 90", {"exited", "signalled"}),
}


@pytest.mark.parametrize(("source", "ends"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_its_own_outcome_and_the_next_program_runs(
    pen: Pen, tool: str, source: str, ends: set[str]
) -> None:
    begun = time.monotonic()
    limits = {"wall_s": 6.0, "cpu_s": 2.0, "memory_mb": 128}

    told: list[Any] = json.loads(
        pen.run(SCRIPT.format(source=source, limits=limits), EVALSI_NAMESPACED_LAUNCHER=tool)
    )

    assert {*told[:2]} <= ends
    assert told[2] == "1\n"
    assert pen.processes() == []
    assert time.monotonic() - begun < 60
