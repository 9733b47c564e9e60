"""The rate at which a judge is asked, kept by all processes of a host together."""

import asyncio
import subprocess
import sys
import time

import pytest

from evalsi.core.judge.pace import Pace

ASKS = """
import asyncio, sys
from evalsi.core.judge.pace import Pace

async def main():
    pace = Pace(600, sys.argv[1])
    for _ in range(6):
        await pace.turn()

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def seconds(*names):
    """How long it takes that each of these is asked six times, ten a second, by a process."""
    begun = time.monotonic()
    asking = [subprocess.Popen([sys.executable, "-c", ASKS, name]) for name in names]
    assert [process.wait(60) for process in asking] == [0] * len(names)
    return time.monotonic() - begun


def test_processes_that_ask_the_same_share_the_rate():
    assert seconds("a", "a", "a") >= 1.7


def test_turns_stand_in_one_file_a_judge(tmp_path):
    seconds("a", "a", "b")
    assert len(list(tmp_path.glob("evalsi-*/pace-*"))) == 2


def turns(pace, count):
    async def main():
        begun = time.monotonic()
        await asyncio.gather(*(pace.turn() for _ in range(count)))
        return time.monotonic() - begun

    return asyncio.run(main())


def test_a_moment_that_is_past_is_no_wait():
    pace = Pace(600, "a")
    assert turns(pace, 2) >= 0.1
    time.sleep(0.3)
    assert turns(pace, 1) < 0.1


@pytest.mark.parametrize("content", [b"", b"short", b"\0" * 40])
def test_a_file_that_says_nothing_is_written_anew(tmp_path, content):
    pace = Pace(600, "a")
    turns(pace, 1)
    (path,) = tmp_path.glob("evalsi-*/pace-*")
    path.write_bytes(content)
    assert turns(pace, 3) >= 0.2


def test_without_a_folder_a_process_keeps_the_rate_alone(monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/proc/no-such-folder")
    assert turns(Pace(600, "a"), 4) >= 0.3
