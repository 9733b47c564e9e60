"""What programs have in common is run once a jail, and seen by no program that does not name it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from evalsi.core.sandbox import Limits, Loaded, Program
from evalsi_sandbox.namespaced.fork_jail import ForkJail
from evalsi_sandbox.namespaced.forks import JailForks

BASE = (
    "import sys, types\nsys.modules['shared_part'] = part = types.ModuleType('p')\npart.n = [7]\n"
)
READS = Program("import shared_part\nprint(shared_part.n)\nshared_part.n.append(8)", base=BASE)
LOOKS = Program("import sys\nprint('shared_part' in sys.modules)")


@pytest.fixture
def pool(forks: JailForks) -> Iterator[JailForks]:
    made = JailForks(forks._make, forks._reference, most=1)
    yield made
    made.close()


def said(pool: JailForks, program: Program) -> tuple[ForkJail, bytes]:
    with closing(pool.load(program)) as loaded:
        jail = jail_of(loaded)
        return jail, loaded.case(b"", Limits()).stdout


def jail_of(loaded: Loaded) -> ForkJail:
    jail: ForkJail | None = loaded._jail  # type: ignore[attr-defined]
    assert jail is not None
    return jail


def test_a_base_is_there_for_every_program_that_names_it(pool: JailForks) -> None:
    first, second = said(pool, READS), said(pool, READS)

    assert first[1] == second[1] == b"[7]\n"
    assert first[0] is second[0]


def test_a_base_comes_before_what_goes_before_the_program(pool: JailForks) -> None:
    program = Program("import shared_part\nprint(shared_part.n)", before="import shared_part\n"
                      "shared_part.n.append(9)\n", base=BASE)  # fmt: skip

    assert said(pool, program)[1] == b"[7, 9]\n"
    assert said(pool, READS)[1] == b"[7]\n"


def test_an_idle_jail_takes_a_base_on(pool: JailForks) -> None:
    plain, _ = said(pool, LOOKS)
    based, _ = said(pool, READS)

    assert plain is based


def test_a_program_without_a_base_sees_none(pool: JailForks) -> None:
    based, _ = said(pool, READS)
    plain, seen = said(pool, LOOKS)

    assert seen == b"False\n"
    assert plain is not based
    assert pool._total == 1, "the jail with the base made room"


def test_a_base_that_fails_is_told_as_one_jail_a_case_tells_it(pool: JailForks) -> None:
    with closing(pool.load(Program("print(1)", base="raise ValueError('no base')"))) as loaded:
        outcome = loaded.case(b"", Limits())

    assert outcome.status == 1
    assert outcome.stderr.endswith(b"ValueError: no base\n")


@pytest.mark.parametrize("before", ["", "part = 1"])
def test_one_jail_a_case_agrees(forks: JailForks, before: str) -> None:
    with closing(forks._reference.load(Program(READS.source, before=before, base=BASE))) as loaded:
        assert loaded.case(b"", Limits()).stdout == b"[7]\n"
