"""A case that is begun ahead: the outcomes are those of cases that were asked for one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest

from evalsi.core.sandbox import Limits, Loaded, Outcome, Program
from evalsi_sandbox import memfile
from evalsi_sandbox.namespaced.forks import JailForks

LIMITS = Limits(wall_s=20.0)


def _ahead(
    forks: JailForks, source: str, inputs: Sequence[bytes], limits: Limits, pause_s: float = 0.0
) -> list[Outcome]:
    outcomes = []
    with closing(forks.load(Program(source))) as loaded:
        for stdin, ahead in zip(inputs, [*inputs[1:], None], strict=True):
            outcomes.append(loaded.case(stdin, limits, ahead=ahead))
            time.sleep(pause_s)
        assert loaded._jail is not None  # type: ignore[attr-defined] # none went to a jail of its own
    return outcomes


def _apart(forks: JailForks, source: str, inputs: Sequence[bytes], limits: Limits) -> list[Outcome]:
    with closing(forks.load(Program(source))) as loaded:
        return [loaded.case(stdin, limits) for stdin in inputs]


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


@pytest.mark.parametrize("pause_s", [0.0, 0.03], ids=["at once", "later"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_outcomes_are_those_of_cases_one_by_one(
    forks: JailForks, name: str, pause_s: float
) -> None:
    source, wall_s = PROGRAMS[name], 3.0 if name == "sleep" else 60.0
    limits = Limits(wall_s=wall_s, cpu_s=1.0, memory_mb=256, output_bytes=250_000)
    inputs = [b"%d\n" % number for number in (0, 1, 2, 3, 4)]

    together = _ahead(forks, source, inputs, limits, pause_s)

    assert list(map(_plain, together)) == list(map(_plain, _apart(forks, source, inputs, limits)))


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


@pytest.mark.parametrize("who", ["it", "a child of it"])
def test_memory_counts_for_the_case_that_took_it(forks: JailForks, who: str) -> None:
    source = (
        "import mmap, os\nn = int(input())\ndef take():\n"
        "    m = [mmap.mmap(-1, 40 << 20) for _ in range(n)]\n"
        "    for one in m: one.write(b'x' * (40 << 20))\n"
        f"if {who != 'it'} and os.fork(): os.wait()\n"
        "else: take()\nprint(n)"
    )
    limits = Limits(wall_s=20.0, memory_mb=64)
    inputs = [b"0\n", b"9\n", b"0\n", b"9\n", b"0\n"]

    with closing(forks.load(Program(source))) as loaded:
        together = [
            loaded.case(stdin, limits, ahead=ahead)
            for stdin, ahead in zip(inputs, [*inputs[1:], None], strict=True)
        ]

    apart = _apart(forks, source, inputs, limits)
    assert [one.ended for one in together] == [one.ended for one in apart]
    assert [one.ended for one in apart[::2]] == ["exited"] * 3


def test_what_children_use_together_is_counted_with_nobody_there(forks: JailForks) -> None:
    source = (
        "import os, time\nif input() == '1':\n    for _ in range(4):\n        if os.fork() == 0:\n"
        "            while time.process_time() < 0.9: pass\n            os._exit(0)\n"
        "    while True:\n        try: os.wait()\n        except ChildProcessError: break\n"
    )
    limits = Limits(wall_s=20.0, cpu_s=1.0)
    with closing(forks.load(Program(source))) as loaded:
        assert loaded.case(b"0\n", limits, ahead=b"1\n").clean
        time.sleep(4)
        assert loaded.case(b"1\n", limits).ended == "cpu"


CONNECTS = (
    "import socket\nif input() == '1':\n    l = socket.create_server(('127.0.0.1', 7000))\n"
    "    c = socket.create_connection(('127.0.0.1', 7000)); a, _ = l.accept()\n"
    "    a.close(); c.recv(1); c.close()\n"
)
BINDS = "import socket\ns = socket.socket(); s.bind(('127.0.0.1', 7000)); print('free')"


@pytest.mark.parametrize("before", ["", "else: print('x' * 30_000_000, end='', flush=True)"])
def test_a_case_that_nobody_asks_for_bars_no_port(forks: JailForks, before: str) -> None:
    limits = Limits(wall_s=20.0, output_bytes=10_000_000)
    for _ in range(5):
        with closing(forks.load(Program(CONNECTS + before))) as loaded:
            first = loaded.case(b"0\n", limits, ahead=b"1\n")
            assert first.ended == ("output" if before else "exited")
        with closing(forks.load(Program(BINDS))) as loaded:
            assert loaded.case(b"", limits).stdout == b"free\n"


def test_what_interrupts_the_opener_costs_no_later_case(
    forks: JailForks, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = memfile.piped

    def piped(data: bytes) -> int | None:
        if data == b"none\n":
            raise OSError(24, "Too many open files")
        if data == b"interrupt\n":
            raise KeyboardInterrupt
        return real(data)

    monkeypatch.setattr(memfile, "piped", piped)
    with closing(forks.load(Program("print(input())"))) as loaded:
        assert loaded.case(b"a\n", LIMITS, ahead=b"none\n").stdout == b"a\n"
        with pytest.raises(KeyboardInterrupt):
            loaded.case(b"b\n", LIMITS, ahead=b"interrupt\n")
        assert loaded.case(b"c\n", LIMITS, ahead=b"d\n").stdout == b"c\n"
        assert loaded.case(b"d\n", LIMITS).stdout == b"d\n"


def test_one_that_waited_to_be_read_has_its_time_again(forks: JailForks) -> None:
    limits = Limits(wall_s=2.0, output_bytes=1_000_000)
    with closing(forks.load(Program("print('x' * int(input()))"))) as loaded:
        assert loaded.case(b"1\n", limits, ahead=b"200000\n").clean
        time.sleep(4)
        outcome = loaded.case(b"200000\n", limits)

    assert outcome.clean
    assert len(outcome.stdout) == 200_001
