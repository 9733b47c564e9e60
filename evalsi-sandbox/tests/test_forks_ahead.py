"""A case that is begun ahead: the outcomes are those of cases that were asked for one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest

from evalsi.core.sandbox import Limits, Loaded, Outcome, Program
from evalsi_sandbox.namespaced.forks import JailForks

LIMITS = Limits(wall_s=20.0)


def _ahead(forks: JailForks, source: str, inputs: Sequence[bytes], limits: Limits) -> list[Outcome]:
    with closing(forks.load(Program(source))) as loaded:
        following = [*inputs[1:], None]
        return [
            loaded.case(stdin, limits, ahead=ahead)
            for stdin, ahead in zip(inputs, following, strict=True)
        ]


def _plain(outcome: Outcome) -> tuple[str, int, bytes]:
    return outcome.ended, outcome.status, outcome.stdout


PROGRAMS = {
    "plain": "print(int(input()) * 2)",
    "status": "import sys; sys.exit(int(input()))",
    "killed": (
        "import os, signal; n = int(input()); print(n, flush=True)\n"
        "if n % 2: os.kill(os.getpid(), signal.SIGKILL)"
    ),
    "files": (
        "import os; n = int(input()); print(os.listdir('/tmp')); open(f'/tmp/{n}', 'w').close()"
    ),
    "orphans": (
        "import os, time\nn = int(input())\nif n % 2 and os.fork() == 0: time.sleep(60)\nprint(n)"
    ),
    "output": "n = int(input())\nprint('x' * (n * 100_000))",
    "spin": "n = int(input())\nwhile n == 2: pass\nprint(n)",
    "sleep": "import time; n = int(input())\ntime.sleep(9 if n == 2 else 0)\nprint(n)",
    "memory": "n = int(input())\nprint(len(bytearray(n * 100_000_000)))",
    "connections": (
        "import socket\nl = socket.create_server(('127.0.0.1', 7000))\n"
        "c = socket.create_connection(('127.0.0.1', 7000)); a, _ = l.accept()\n"
        "a.close(); c.recv(1); c.close(); print(input())"
    ),
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_outcomes_are_those_of_cases_one_by_one(forks: JailForks, source: str) -> None:
    limits = Limits(wall_s=1.5, cpu_s=1.0, memory_mb=256, output_bytes=250_000)
    inputs = [b"%d\n" % number for number in (0, 1, 2, 3, 4)]

    together = _ahead(forks, source, inputs, limits)

    with closing(forks.load(Program(source))) as loaded:
        apart = [loaded.case(stdin, limits) for stdin in inputs]
    assert list(map(_plain, together)) == list(map(_plain, apart))


@pytest.fixture
def echo(forks: JailForks) -> Iterator[Loaded]:
    with closing(
        forks.load(Program("import time; time.sleep(float(input())); print(input())"))
    ) as it:
        yield it


def test_another_case_may_be_asked_for(echo: Loaded) -> None:
    assert echo.case(b"0\na\n", LIMITS, ahead=b"0\nb\n").stdout == b"a\n"
    assert echo.case(b"0\nc\n", LIMITS, ahead=b"60\nd\n").stdout == b"c\n"
    begun = time.monotonic()
    assert echo.case(b"0\ne\n", LIMITS).stdout == b"e\n"
    assert echo.case(b"0\nb\n", Limits(wall_s=19.0)).stdout == b"b\n"
    assert time.monotonic() - begun < 15


def test_the_next_program_waits_for_none_that_was_begun_ahead(forks: JailForks) -> None:
    begun = time.monotonic()
    for number in range(5):
        with closing(forks.load(Program("import time; time.sleep(float(input()))"))) as loaded:
            assert loaded.case(b"0\n", LIMITS, ahead=b"60\n").clean
        with closing(forks.load(Program(f"print({number})"))) as loaded:
            assert loaded.case(b"", LIMITS).stdout == b"%d\n" % number
    assert time.monotonic() - begun < 20


def test_memory_counts_for_the_case_that_took_it(forks: JailForks) -> None:
    source = (
        "import mmap\nn = int(input())\n"
        "m = [mmap.mmap(-1, 40 << 20) for _ in range(n)]\n"
        "for one in m: one.write(b'x' * (40 << 20))\nprint(n)"
    )
    limits = Limits(wall_s=20.0, memory_mb=64)

    ended = [
        o.ended for o in _ahead(forks, source, [b"0\n", b"9\n", b"0\n", b"9\n", b"0\n"], limits)
    ]

    assert ended[::2] == ["exited"] * 3
    assert set(ended[1::2]) <= {"memory", "exited"}  # a MemoryError, where addresses run out first


def test_memory_that_a_child_took_counts_for_its_case_alone(forks: JailForks) -> None:
    source = (
        "import mmap, os\nn = int(input())\nif os.fork() == 0:\n"
        "    m = [mmap.mmap(-1, 40 << 20) for _ in range(n)]\n"
        "    for one in m: one.write(b'x' * (40 << 20))\n"
        "    os._exit(0)\nos.wait(); print(n)"
    )
    limits = Limits(wall_s=20.0, memory_mb=64)
    inputs = [b"0\n", b"9\n", b"0\n"]

    together = _ahead(forks, source, inputs, limits)

    with closing(forks.load(Program(source))) as loaded:
        apart = [loaded.case(stdin, limits) for stdin in inputs]
    assert [one.ended for one in together] == [one.ended for one in apart]


def test_one_that_waited_to_be_read_has_its_time_again(forks: JailForks) -> None:
    limits = Limits(wall_s=0.6, output_bytes=1_000_000)
    with closing(forks.load(Program("print('x' * int(input()))"))) as loaded:
        assert loaded.case(b"1\n", limits, ahead=b"200000\n").clean
        time.sleep(1.5)
        outcome = loaded.case(b"200000\n", limits)

    assert outcome.clean
    assert len(outcome.stdout) == 200_001
