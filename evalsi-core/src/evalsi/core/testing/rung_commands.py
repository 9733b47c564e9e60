"""What a command in a jail finds and what its opener gets back: every rung's promises."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from contextlib import closing
from typing import Final

from evalsi.core.sandbox import Command, JailSpec, Rung
from evalsi.core.testing.rung_trial import LIMITS, Trials, answer, require, require_ended, run, told

__all__ = ["COMMANDS"]

COMMANDS: Final = Trials()


@COMMANDS.add("exit-status")
def _exit_status(rung: Rung) -> None:
    outcome = run(rung, "raise SystemExit(7)")
    require(
        (outcome.ended, outcome.status) == ("exited", 7),
        f"A program that exits with 7 must be reported so, but {told(outcome)}.",
    )


@COMMANDS.add("signal")
def _signal(rung: Rung) -> None:
    outcome = run(rung, "import os; os.kill(os.getpid(), 6)")
    require(
        (outcome.ended, outcome.status) == ("signalled", signal.SIGABRT),
        f"A program that ends by signal 6 must be reported so, but {told(outcome)}.",
    )


@COMMANDS.add("large-exit-status")
def _large_exit_status(rung: Rung) -> None:
    outcome = run(rung, "raise SystemExit(137)")
    require(
        (outcome.ended, outcome.status) == ("exited", 137),
        f"An exit with 137 must not be taken for a kill by signal 9, but {told(outcome)}.",
    )


@COMMANDS.add("outputs-captured")
def _outputs(rung: Rung) -> None:
    outcome = run(rung, "import sys; print('out'); print('err', file=sys.stderr)")
    require(
        (outcome.stdout, outcome.stderr) == (b"out\n", b"err\n"),
        f"stdout and stderr must be kept apart and whole, but: {outcome!r}.",
    )


@COMMANDS.add("stdin-delivered")
def _stdin(rung: Rung) -> None:
    data = bytes(range(256)) * 4
    outcome = run(rung, "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", data)
    require(outcome.stdout == data, "stdin must arrive byte by byte, then end; it did not.")


@COMMANDS.add("standard-streams-by-path")
def _streams_by_path(rung: Rung) -> None:
    source = "text = open('/dev/stdin').read(); open('/dev/stdout', 'w').write(text)"
    found = answer(rung, source, b"text")
    require(found == "text", f"/dev/stdin and /dev/stdout must work, but it printed {found!r}.")


@COMMANDS.add("large-streams")
def _large_streams(rung: Rung) -> None:
    source = "import sys; d = sys.stdin.read(); sys.stderr.write(d); sys.stdout.write(d)"
    outcome = run(rung, source, b"x" * 1024 * 1024)
    require(
        outcome.clean and len(outcome.stdout) == len(outcome.stderr) == 1024 * 1024,
        f"1 MiB in and out on both outputs must pass without a deadlock, but {told(outcome)}.",
    )


@COMMANDS.add("unread-stdin")
def _unread_stdin(rung: Rung) -> None:
    outcome = run(rung, "print('done')", b"x" * 1024 * 1024)
    require(outcome.clean, f"A program need not read its stdin, but {told(outcome)}.")


@COMMANDS.add("left-behind-processes")
def _left_behind(rung: Rung) -> None:
    source = (
        "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n"
        "print('left', flush=True)"
    )
    started = time.monotonic()
    outcome = run(rung, source)
    took = time.monotonic() - started
    require(
        outcome.clean and took < 10,
        f"A daemon that holds stdout must die with its command; it took {took:.1f} s.",
    )


@COMMANDS.add("kill-from-another-thread")
def _kill(rung: Rung) -> None:
    with closing(rung.open(JailSpec())) as jail:
        timer = threading.Timer(0.5, jail.kill)
        timer.start()
        started = time.monotonic()
        outcome = jail.run(Command(("{python}", "-c", "import time; time.sleep(30)")), LIMITS)
        took = time.monotonic() - started
        timer.join()
    require_ended(outcome, "killed", "A command whose jail is killed")
    require(took < 10, f"A killed jail must let its command return; it took {took:.1f} s.")


@COMMANDS.add("close-twice")
def _close_twice(rung: Rung) -> None:
    jail = rung.open(JailSpec())
    jail.close()
    jail.close()
    jail.kill()


@COMMANDS.add("wire")
def _wire(rung: Rung) -> None:
    source = "import socket; s = socket.socket(fileno=3); s.sendall(s.recv(9)[::-1])"
    ours, theirs = socket.socketpair()
    with ours, theirs, closing(rung.open(JailSpec())) as jail:
        ours.sendall(b"abc")
        outcome = jail.run(Command(("{python}", "-c", source), wire=theirs), LIMITS)
        theirs.close()  # the command's own copy went with it: end of file, if it said nothing
        said = ours.recv(9)
    require(said == b"cba", f"The wire must be descriptor 3; {told(outcome)}, sent {said!r}.")


@COMMANDS.add("clean-environment")
def _environment(rung: Rung) -> None:
    found = json.loads(answer(rung, "import os, json; print(json.dumps(dict(os.environ)))"))
    plain = {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "PYTHONHASHSEED", "PYTHONUTF8", "TMPDIR"}
    leaked = sorted(name for name in found if name in os.environ and name not in plain)
    require(not leaked, f"A jail must inherit nothing of its opener's environment: {leaked}.")


@COMMANDS.add("own-environment")
def _own_environment(rung: Rung) -> None:
    source = "import os; print(os.environ['OWN'])"
    outcome = run(rung, source, jail=JailSpec(env={"OWN": "ä"}))
    require(outcome.stdout == "ä\n".encode(), f"JailSpec.env must arrive, but {told(outcome)}.")


@COMMANDS.add("no-descriptor-leaks")
def _descriptors(rung: Rung) -> None:
    source = (
        "import os\nopen_ = []\nfor n in range(256):\n"
        "    try: os.fstat(n); open_.append(n)\n    except OSError: pass\nprint(open_)"
    )
    found = answer(rung, source)
    require(found == "[0, 1, 2]", f"Only 0, 1 and 2 may be open in a command, not {found}.")


@COMMANDS.add("writable-tmp")
def _tmp(rung: Rung) -> None:
    source = (
        "import tempfile, os\nopen('here', 'w').close()\n"
        "with tempfile.NamedTemporaryFile() as f: f.write(b'x')\nprint(os.path.exists('here'))"
    )
    require(answer(rung, source) == "True", "The working folder must be there to write to.")


@COMMANDS.add("tmp-lasts")
def _tmp_lasts(rung: Rung) -> None:
    with closing(rung.open(JailSpec())) as jail:
        for source in ("open('kept', 'w').write('x')", "print(open('kept').read())"):
            outcome = jail.run(Command(("{python}", "-c", source)), LIMITS)
    require(outcome.stdout == b"x\n", "What a command leaves in /tmp the next one must see.")


@COMMANDS.add("box-files")
def _box(rung: Rung) -> None:
    jail = JailSpec(files={"main.py": b"print('from', 'the box')", "deep/er/data": b"x"})
    with closing(rung.open(jail)) as opened:
        outcome = opened.run(Command(("{python}", "/box/main.py")), LIMITS)
    require(
        outcome.stdout == b"from the box\n",
        f"JailSpec.files must be at /box, but {told(outcome)}.",
    )


@COMMANDS.add("honest-programs")
def _honest(rung: Rung) -> None:
    source = (
        "import subprocess, sys, threading, multiprocessing as mp\n"
        "if __name__ == '__main__':\n"
        "    ts = [threading.Thread(target=len, args=('x',)) for _ in range(8)]\n"
        "    [t.start() for t in ts]; [t.join() for t in ts]\n"
        "    with mp.get_context('fork').Pool(2) as pool: total = sum(pool.map(abs, [-1, -2]))\n"
        "    shown = subprocess.run([sys.executable, '-c', 'print(4)'], capture_output=True)\n"
        "    print(total, shown.stdout.decode().strip(), 'ünï')"
    )
    found = answer(rung, source)
    require(found == "3 4 ünï", f"Threads, pools and subprocesses must work; it said {found!r}.")


@COMMANDS.add("repeatable-hashes")
def _hashes(rung: Rung) -> None:
    first, second = (answer(rung, "print(hash('text'))") for _ in range(2))
    require(first == second, "PYTHONHASHSEED must be fixed, so that a program's runs agree.")
