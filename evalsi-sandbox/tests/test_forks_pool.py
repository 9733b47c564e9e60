"""Standing jails are leased, recycled, and end with their owner; nobody waits for another."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evalsi.core.sandbox import Limits, Loaded, Outcome, Program
from evalsi_sandbox.namespaced import forks as forks_module
from evalsi_sandbox.namespaced.fork_jail import ForkJail
from evalsi_sandbox.namespaced.forks import JailForks

if TYPE_CHECKING:
    from conftest import Pen

ECHO = Program("print(input())")
SLEEP = Program("import time; time.sleep(60)")


@pytest.fixture
def pool(forks: JailForks) -> Iterator[JailForks]:
    """A pool of the test's own."""
    made = JailForks(forks._make, forks._reference)
    yield made
    made.close()


def jail_of(loaded: Loaded) -> ForkJail:
    jail: ForkJail | None = loaded._jail  # type: ignore[attr-defined]
    assert jail is not None
    return jail


def used_jail(pool: JailForks, program: Program = ECHO) -> ForkJail:
    with closing(pool.load(program)) as loaded:
        assert loaded.case(b"x\n", Limits()).stdout == b"x\n"
        return jail_of(loaded)


def below(pid: int) -> list[int]:
    """Every descendant, children first."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text().rpartition(")")[2].split()[1]
                )
            except (OSError, IndexError):
                continue
    found: list[int] = []
    fresh = {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh}
        found += sorted(fresh)
    return found


def later(seconds: float, action: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


def test_a_jail_serves_one_program_after_another(pool: JailForks) -> None:
    assert used_jail(pool) is used_jail(pool)


def test_a_jail_ends_after_so_many_programs(
    pool: JailForks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forks_module, "_PROGRAMS", 2)

    first, second, third = used_jail(pool), used_jail(pool), used_jail(pool)

    assert first is second
    assert third is not first


def test_a_jail_ends_at_an_age(pool: JailForks, monkeypatch: pytest.MonkeyPatch) -> None:
    first = used_jail(pool)
    monkeypatch.setattr(forks_module, "_AGE_S", 0.0)

    assert used_jail(pool) is not first


def test_an_idle_jail_that_died_is_replaced(pool: JailForks) -> None:
    first = used_jail(pool)
    first._shell.kill()
    time.sleep(0.2)

    assert used_jail(pool) is not first


@pytest.mark.parametrize("depth", [0, -2, -1], ids=["tool", "holder", "case"])
def test_a_process_killed_from_outside_costs_a_rerun_at_most(pool: JailForks, depth: int) -> None:
    with closing(pool.load(Program("import time; time.sleep(1); print(input())"))) as loaded:
        top = jail_of(loaded)._shell._process
        assert top is not None
        later(0.4, lambda: os.kill(below(top.pid)[depth], signal.SIGKILL))
        outcome = loaded.case(b"x\n", Limits())

    assert (outcome.ended, outcome.stdout) in {("exited", b"x\n"), ("signalled", b"")}


def test_a_jail_that_lost_its_holder_is_not_used_again(pool: JailForks) -> None:
    with closing(pool.load(ECHO)) as loaded:
        jail = jail_of(loaded)
        jail._shell.kill()
        assert jail._shell._process is not None
        assert jail._shell._process.wait(10.0) is not None
        assert loaded.case(b"x\n", Limits()).stdout == b"x\n"

    assert used_jail(pool) is not jail


def test_kill_ends_a_case_at_once(pool: JailForks) -> None:
    with closing(pool.load(SLEEP)) as loaded:
        later(0.3, loaded.kill)
        begun = time.monotonic()
        outcome = loaded.case(b"", Limits(wall_s=30.0))

    assert outcome.ended == "killed"
    assert time.monotonic() - begun < 3


def test_a_case_after_kill_does_not_run(pool: JailForks) -> None:
    with closing(pool.load(ECHO)) as loaded:
        loaded.kill()

        assert loaded.case(b"x\n", Limits()).ended == "killed"


def test_a_late_kill_does_not_reach_the_next_program(pool: JailForks) -> None:
    first = pool.load(ECHO)
    first.close()
    with closing(pool.load(ECHO)) as second:
        first.kill()

        assert second.case(b"x\n", Limits()).stdout == b"x\n"
        assert jail_of(second).sound


def test_close_is_safe_twice(pool: JailForks) -> None:
    loaded = pool.load(ECHO)
    loaded.close()
    loaded.close()

    assert used_jail(pool).sound


def test_close_ends_the_idle_jails(pool: JailForks) -> None:
    top = used_jail(pool)._shell._process
    assert top is not None

    pool.close()

    assert below(top.pid) == []


def test_a_jail_given_back_to_a_closed_pool_ends(pool: JailForks) -> None:
    loaded = pool.load(ECHO)
    top = jail_of(loaded)._shell._process
    assert top is not None
    pool.close()
    loaded.close()

    assert below(top.pid) == []


def test_a_slow_case_delays_nobody(pool: JailForks) -> None:
    with closing(pool.load(SLEEP)) as slow:
        thread = threading.Thread(target=slow.case, args=(b"", Limits(wall_s=30.0)))
        thread.start()
        used_jail(pool)
        begun = time.monotonic()
        for _ in range(5):
            used_jail(pool)
        taken = time.monotonic() - begun
        slow.kill()
        thread.join()

    assert taken < 2


def test_sixty_four_callers_share_few_jails_in_their_order(forks: JailForks) -> None:
    made: list[ForkJail] = []
    lock = threading.Lock()

    def make() -> ForkJail:
        jail = forks._make()
        with lock:
            made.append(jail)
        return jail

    pool = JailForks(make, forks._reference, most=4)
    waits: list[float] = []

    def call(number: int) -> None:
        for turn in range(3):
            begun = time.monotonic()
            with closing(pool.load(Program(f"print(int(input()) * {number})"))) as loaded:
                waits.append(time.monotonic() - begun)
                assert loaded.case(b"2", Limits()).stdout == b"%d\n" % (2 * number)
                assert loaded.case(b"3", Limits()).stdout == b"%d\n" % (3 * number), turn

    threads = [threading.Thread(target=call, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pool.close()

    assert len(waits) == 64 * 3
    assert len(made) == 4
    assert pool._total == 0


def test_a_caller_that_has_a_jail_gets_a_second_one_at_once(forks: JailForks) -> None:
    pool = JailForks(forks._make, forks._reference, most=1)
    begun = time.monotonic()
    with closing(pool.load(ECHO)) as first, closing(pool.load(ECHO)) as second:
        assert jail_of(first) is not jail_of(second)
    pool.close()

    assert time.monotonic() - begun < 20


OWNER = """
import json, sys, threading
from evalsi.core.engine import current_engine
from evalsi.core.sandbox import Limits, Program, PythonFork
from evalsi_sandbox.namespaced import NamespacedRung

if __name__ == "__main__":
    rung = NamespacedRung(current_engine())
    forks = rung.ability(PythonFork)
    source = "import os, time; print(1, flush=True); os.fork() or os.setsid(); time.sleep(100)"
    for _ in range(2):
        loaded = forks.load(Program(source))
        threading.Thread(
            target=loaded.case, args=(b"", Limits(wall_s=100)), daemon=True
        ).start()
    forks.load(Program("")).close()
    print("open", flush=True)
    threading.Event().wait()
"""


def test_standing_jails_end_with_an_owner_that_is_killed(pen: Pen) -> None:
    with pen.start(OWNER) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"open\n"
        assert len(pen.processes()) > 8
        owner.send_signal(signal.SIGKILL)

    assert pen.processes() == []


FORKED = """
import json, os
from evalsi.core.engine import current_engine
from evalsi.core.sandbox import Limits, Program, PythonFork
from evalsi_sandbox.namespaced import NamespacedRung

def used(forks, word):
    loaded = forks.load(Program("print(input())"))
    jail = loaded._jail
    said = loaded.case(word, Limits()).stdout.decode()
    loaded.close()
    return jail, said

if __name__ == "__main__":
    forks = NamespacedRung(current_engine()).ability(PythonFork)
    before, _ = used(forks, b"a")
    held = forks.load(Program("print(input())"))
    child = os.fork()
    if child == 0:
        inherited = len(forks._idle)
        held.close()
        forks.close()
        own = NamespacedRung(current_engine()).ability(PythonFork)
        _, said = used(own, b"b")
        os._exit(0 if (inherited, said) == (0, "b\\n") else 1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = held.case(b"c", Limits()).stdout.decode()
    same = held._jail is not None
    held.close()
    print(json.dumps([status, said, same, used(forks, b"d")[1]]))
"""


def test_a_forked_child_neither_uses_nor_ends_its_parents_jails(pen: Pen) -> None:
    assert json.loads(pen.run(FORKED)) == [0, "c\n", True, "d\n"]


def test_the_pool_stays_whole_when_no_jail_opens(forks: JailForks) -> None:
    from evalsi.core.errors import SandboxUnavailable

    def make() -> ForkJail:
        raise SandboxUnavailable("none today")

    pool = JailForks(make, forks._reference, most=1)
    outcomes: list[Outcome] = []
    for _ in range(2):
        with closing(pool.load(ECHO)) as loaded:
            outcomes.append(loaded.case(b"x\n", Limits()))

    assert [outcome.stdout for outcome in outcomes] == [b"x\n"] * 2
    assert pool._total == 0
