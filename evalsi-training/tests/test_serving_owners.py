"""Owners of servers: killed, forked, and two of them at once."""

import os
import signal
from contextlib import ExitStack

import pytest
from serving_kit import descendants, gone, model, owner, played, servers

from evalsi.training import ServingError

FORKS = """
    child = os.fork()
    if not child:
        sys.exit()
    os.waitpid(child, 0)
    print(answer(served), flush=True)
    if os.fork():
        input()
    time.sleep(60)
"""
ANSWERS = "print(answer(served), flush=True); input()"


@pytest.mark.parametrize("part", ["good", "leaves-grandchildren"])
def test_nothing_is_left_of_a_server_whose_owner_is_killed(tmp_path, part):
    with owner(part, model(tmp_path), tmp_path / "notes", "input()") as process:
        left = descendants(process.pid)

        process.kill()

        assert len(left) >= 2
        assert gone(left)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_guard_that_is_killed_takes_its_server_along(tmp_path):
    with pytest.raises(ServingError, match="vLLM ended by signal 9 during the evaluation"):
        kill_the_guard(played("good"), model(tmp_path))


def kill_the_guard(strategy, folder):
    with strategy.serve(str(folder), "run-1"):
        guard, server = servers()
        os.kill(guard, signal.SIGKILL)
        assert gone([server])


def test_forks_of_an_owner_neither_end_its_server_nor_keep_it(tmp_path):
    with owner("good", model(tmp_path, "alive"), tmp_path / "notes", FORKS) as process:
        assert process.stdout.readline() == "alive\n"
        left = servers(process.pid)

        process.kill()

        assert len(left) == 2
        assert gone(left)


def test_owners_at_once_never_share_a_port(tmp_path):
    said = [f"model {number}" for number in range(6)]
    folders = [model(tmp_path / word, word) for word in said]

    with ExitStack() as held:
        owners = [
            held.enter_context(owner("good", folder, tmp_path / "notes", ANSWERS))
            for folder in folders
        ]
        found = [process.stdout.readline().strip() for process in owners]

    ports = [line.split()[1] for line in (tmp_path / "notes").read_text().splitlines()]
    assert found == said
    assert len(set(ports)) == 6


def test_a_port_is_leased_once(monkeypatch):
    from evalsi.training.serving import ports

    free = iter([40001, 40001, 40002])
    monkeypatch.setattr(ports, "_unused", lambda: next(free))

    first, lease = ports.leased_port()
    second, other = ports.leased_port()
    lease.close()
    other.close()

    assert (first, second) == (40001, 40002)
