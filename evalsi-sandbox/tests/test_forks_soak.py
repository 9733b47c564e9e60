"""A soak: many cases, with kills at random of everything that runs, and nothing left in the end.

`EVALSI_SOAK_CASES` says how many; `nox -s soak` runs 50,000.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Pen

CASES = int(os.environ.get("EVALSI_SOAK_CASES", "150"))
SCRIPT = """
import collections, json, os, random, sys, tempfile, threading, time
from pathlib import Path
from evalsi.core.engine import close_engine, current_engine
from evalsi.core.errors import EvalsiError
from evalsi.core.sandbox import Limits, Program, PythonFork
from evalsi_sandbox.namespaced import NamespacedRung

CASES, SEED = {cases}, {seed}
PROGRAMS = [
    ("print(int(input()) * 3)", "exited"),
    ("import os\\nif os.fork() == 0: os.setsid(); os.fork()\\nopen('/tmp/x', 'w').write('y')\\n"
     "print(int(input()) * 3)", "exited"),
    ("print(int(input()) * 3); import os; os.kill(os.getpid(), 9)", "signalled"),
    ("print(int(input()) * 3, flush=True)\\nwhile True: pass", "wall"),
    ("print(int(input()) * 3); print('z' * 200_000)", "output"),
]
said = collections.Counter()
wrong = []
done = 0
lock = threading.Lock()
over = threading.Event()


def below(pid):
    parents = {{}}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path("/proc", entry, "stat").read_text()
            except OSError:
                continue
            parents[int(entry)] = int(stat.rpartition(")")[2].split()[1])
    found, fresh = [], {{pid}}
    while fresh:
        fresh = {{child for child, parent in parents.items() if parent in fresh}}
        found += fresh
    return found


def killer(rng, keeper):
    while not over.wait(rng.uniform(0.02, 0.4) * (5 if CASES > 5000 else 1)):
        found = [pid for pid in below(os.getpid()) if pid != keeper]
        if found:
            try:
                os.kill(rng.choice(found), rng.choice([9, 9, 15, 2]))
            except OSError:
                pass


def work(forks, rng):
    global done
    while True:
        source, ended = rng.choices(PROGRAMS, [800, 100, 50, 3, 40])[0]
        loaded = forks.load(Program(source + "  # " + str(rng.random())))
        timer = None
        if rng.random() < 0.05:
            timer = threading.Timer(rng.uniform(0, 0.05), loaded.kill)
            timer.start()
        for number in range(rng.randint(1, 9)):
            with lock:
                done += 1
                if done > CASES:
                    loaded.close()
                    return
            try:
                limits = Limits(wall_s=0.5 if ended == "wall" else 20.0, output_bytes=100_000)
                ahead = b"%d" % (number + 1) if rng.random() < 0.7 else None
                outcome = loaded.case(b"%d" % number, limits, ahead=ahead)
            except EvalsiError as error:
                said[type(error).__name__] += 1
                continue
            said[outcome.ended] += 1
            first = outcome.stdout.split(b"\\n")[0]
            if outcome.clean and first != b"%d" % (number * 3):
                wrong.append(repr(outcome))
        if timer is not None:
            timer.join()
        loaded.close()


if __name__ == "__main__":
    rng = random.Random(SEED)
    engine = current_engine()
    rung = NamespacedRung(engine)
    forks = rung.ability(PythonFork)
    keeper = engine.launcher.pid
    rngs = [random.Random(SEED + number) for number in range(3)]
    threads = [threading.Thread(target=work, args=(forks, one)) for one in rngs]
    killing = threading.Thread(target=killer, args=(rng, keeper))
    for thread in (*threads, killing):
        thread.start()
    for thread in threads:
        thread.join()
    over.set()
    killing.join()
    rung.close()
    close_engine()
    left = [str(path) for path in Path(tempfile.gettempdir()).glob("evalsi-jails-*/*")]
    print(json.dumps({{"said": said, "wrong": wrong[:3], "left": left, "total": forks._total}}))
"""


def mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()


@pytest.mark.parametrize("seed", [1])
def test_a_soak_with_kills_leaves_nothing(pen: Pen, tool: str, tmp_path: Path, seed: int) -> None:
    tmp_path.chmod(0o755)
    before = mounts()

    told: dict[str, Any] = json.loads(
        pen.run(
            SCRIPT.format(cases=CASES, seed=seed),
            patience_s=30 + CASES / 20,
            EVALSI_NAMESPACED_LAUNCHER=tool,
            TMPDIR=str(tmp_path),
        )
    )

    assert told["wrong"] == []
    assert told["left"] == []
    assert told["total"] == 0
    assert told["said"]["exited"] > CASES / 3
    assert pen.processes() == []
    assert pen.groups() == []
    assert mounts() == before
