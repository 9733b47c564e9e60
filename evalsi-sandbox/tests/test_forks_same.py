"""The fast path and one jail a case agree: how a program ends, what it prints, what it finds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evalsi.core.sandbox import JailSpec, Limits, OneShotFork, Outcome, Program
from evalsi_sandbox.namespaced.forks import JailForks

PROGRAMS = Path(__file__).parent / "corpus" / "programs.txt"
STDIN = b"first line\nsecond \xc3\xa4\r\nlast"
LIMITS = Limits(wall_s=6.0, cpu_s=1.0, memory_mb=256, output_bytes=500_000)
_ADDRESS = re.compile(rb"0x[0-9a-f]{6,}")
_SECONDS = re.compile(rb"in \d+\.\d+s")
_DEPTH = re.compile(rb"repeated 99\d more times")  # our one frame stands below the program's
_OWN = re.compile(rb'File "<string>"')

ODD = {
    "nothing": "",
    "null": "print(1)\n\0print(2)",
    "surrogate": "print(ascii('\udc80'))",
    "byte order mark": "\ufeffprint('bom')",
    "carriage returns": "if 1:\r\n    print('a')\r\nprint('b')\r\n",
    "form feeds": "\fprint(1)\n\f\nprint(2)",
    "deeper nesting": "x = " + "[" * 5000 + "]" * 5000,
    "deep expression": "x = " + "-" * 90_000 + "1",
    "long chain": "x = 0" + "+1" * 20_000 + "\nprint(x)",
    "big source": "x = [\n" + "1,\n" * 200_000 + "]\nprint(len(x))",
}


def _programs() -> Iterator[tuple[str, str]]:
    for part in PROGRAMS.read_text("utf-8").removeprefix("### ").split("\n### "):
        name, _, source = part.partition("\n")
        yield name, source
    yield from ODD.items()


EVERY = dict(_programs())


@pytest.mark.parametrize("source", EVERY.values(), ids=EVERY)
def test_the_fast_path_agrees_with_one_jail_a_case(forks: JailForks, source: str) -> None:
    fast = _fast(forks, source)
    slow = _slow(forks, source)

    assert _plain(fast) == _plain(slow)
    assert not _OWN.search(fast.stderr), "a traceback shows a line of ours"


@pytest.mark.parametrize(
    "name", ["describe", "tell", "stdin read", "input", "open zero", "fileinput"]
)
def test_they_agree_on_an_input_that_is_too_long_for_a_pipe(forks: JailForks, name: str) -> None:
    stdin = b"a line\n" * 20_000

    assert _plain(_fast(forks, EVERY[name], stdin)) == _plain(_slow(forks, EVERY[name], stdin))


@pytest.mark.parametrize("name", ["exit three", "kill itself", "recursion", "memory", "too much"])
def test_no_program_costs_its_jail(forks: JailForks, name: str) -> None:
    source = EVERY[name]
    with closing(forks.load(Program(source))) as loaded:
        loaded.case(STDIN, LIMITS)
        again = loaded.case(STDIN, LIMITS)

        assert loaded._jail is not None  # type: ignore[attr-defined]
    assert _plain(again) == _plain(_slow(forks, source))


def _fast(forks: JailForks, source: str, stdin: bytes = STDIN) -> Outcome:
    with closing(forks.load(Program(source, JailSpec(files={"data.txt": b"d"})))) as loaded:
        return loaded.case(stdin, LIMITS)


def _slow(forks: JailForks, source: str, stdin: bytes = STDIN) -> Outcome:
    reference: OneShotFork = forks._reference
    with closing(reference.load(Program(source, JailSpec(files={"data.txt": b"d"})))) as loaded:
        return loaded.case(stdin, LIMITS)


def _plain(outcome: Outcome) -> tuple[object, ...]:
    """An outcome without what differs between any two runs."""
    stderr = _SECONDS.sub(b"in S", _ADDRESS.sub(b"0x", _DEPTH.sub(b"", outcome.stderr)))
    # Python 3.13 lays the error of an impossible exit status at the door of its threads.
    stderr = stderr.replace(b"Exception ignored on threading shutdown:\n", b"")
    stdout = _ADDRESS.sub(b"0x", outcome.stdout)
    if outcome.ended in {"output", "wall", "cpu"}:
        return (outcome.ended, outcome.status)
    return (outcome.ended, outcome.status, stdout, stderr)
